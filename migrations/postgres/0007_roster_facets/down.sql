DROP INDEX roster_facets;
