"""A mail server (aiosmtpd) for the tests: keeps each mail as a file, or misbehaves as it is told.

mail_server.py MANNER FOLDER [CERTIFICATE KEY]

MANNER: plain, starttls (refuses to go on without), tls, refuses (knows nobody), hangs (never answers after DATA).
With a certificate it wants the user "ada" with the password "hunter/2". Prints its port.
"""

import asyncio
import itertools
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


class Keeper:
    def __init__(self, manner, folder):
        self.manner, self.folder, self.numbers = manner, folder, itertools.count(1)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.manner == "refuses":
            return "550 5.1.1 no such person here: " + address
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.manner == "hangs":
            await asyncio.sleep(3600)
        name = f"{next(self.numbers)}-{'tls' if server.transport.get_extra_info('ssl_object') else 'clear'}.eml"
        part = self.folder / (name + ".part")
        part.write_bytes(envelope.original_content)
        part.rename(self.folder / name)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, login):
    right = isinstance(login, LoginPassword) and (login.login, login.password) == (b"ada", b"hunter/2")
    return AuthResult(success=right, handled=False)


async def main(manner, folder, certificate=None, key=None):
    context = None
    if certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)
    starttls = manner == "starttls"
    keeper = Keeper(manner, pathlib.Path(folder))

    def serve():
        return SMTP(
            keeper,
            hostname="mail.example",
            tls_context=context if starttls else None,
            require_starttls=starttls,
            authenticator=authenticate if context else None,
            auth_required=bool(context),
            auth_require_tls=starttls,
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(serve, "127.0.0.1", 0, ssl=None if starttls else context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
