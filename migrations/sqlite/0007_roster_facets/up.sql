-- Several filters of the list of subscribers at once. Asked with a value for every column in front, it says whom they let
-- through without looking at anybody else.
CREATE INDEX roster_facets ON roster (confirmed, status, kind, plan, user_id);
