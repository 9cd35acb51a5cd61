"""The relay protocol a second time, from proto/wire/README.md alone, for tests of the real perfrelay."""
import hashlib
import hmac
import os
import socket
import struct

ECHO, SINK, PUT, SOURCE, PING, STAT, BYE, AUTH = range(1, 9)
DATA, ACK, PONG, STATUS, ERROR = 0x11, 0x12, 0x13, 0x14, 0x1f
STORE = 1
BUSY, TIMED_OUT, AUTHENTICATION = 7, 8, 10
HELLO_SIZE = 48


def _table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = _table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def hello(major=1, minor=0):
    return struct.pack('>4sBBHI32sI', b'PRLY', major, minor, 0, 0xffffffff, os.urandom(32), 0)


def proof(secret, side, greeting, answer):
    """The payload of AUTH by 'c', the client, or 's', the relay."""
    return hmac.digest(secret, b'perfrelay1 ' + side.encode() + greeting + answer, hashlib.sha256)


def welcome(capabilities=0x1f, max_payload=1 << 28, auth=0):
    return struct.pack('>4sBBBBIQIIQ32s12s', b'PRLY', 1, 0, auth, 0, capabilities, max_payload, 60000, 3600,
                       1, bytes(32), bytes(12))


def error_frame(code, retry_after, text):
    payload = struct.pack('>HHI', code, 0, retry_after) + text.encode()
    return header(ERROR, len(payload)) + payload


def header(kind, length, flags=0, request=1, aux=0):
    first = struct.pack('>BBHIQ', kind, flags, 0, request, length)
    last = struct.pack('>I', aux)
    return first + struct.pack('>I', crc32c(first + last)) + last


class Refused(Exception):
    def __init__(self, code, retry_after, text):
        super().__init__(f'{code}: {text}')
        self.code, self.retry_after, self.text = code, retry_after, text


class Session:
    """One session; every call raises OSError, EOFError or Refused when it comes to an end."""

    def __init__(self, port, host='127.0.0.1', timeout=20, secret=None, tls=None):
        self.socket = socket.create_connection((host, port), timeout)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=host)
        greeting = hello()
        self.socket.sendall(greeting)
        first = self.read(4)
        if first[0] == ERROR:
            self.refuse(first + self.read(20))
        answer = first + self.read(76)
        (magic, self.major, self.minor, auth, _, self.capabilities, self.max_payload, self.idle_ms,
         self.max_session_s, self.id, _, padding) = struct.unpack('>4sBBBBIQIIQ32s12s', answer)
        if magic != b'PRLY' or auth != (secret is not None) or any(padding):
            raise ValueError('not a WELCOME')
        if auth:
            mine = proof(secret, 'c', greeting, answer)
            if self.call(AUTH, mine, AUTH) != proof(secret, 's', greeting, answer):
                raise ValueError('the relay does not know the secret')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def read(self, count):
        data = bytearray()
        while len(data) < count:
            some = self.socket.recv(count - len(data))
            if not some:
                raise EOFError(f'closed after {len(data)} of {count} bytes')
            data += some
        return bytes(data)

    def refuse(self, head):
        length = struct.unpack('>Q', head[8:16])[0]
        body = self.read(length)
        code, _, retry_after = struct.unpack('>HHI', body[:8])
        raise Refused(code, retry_after, body[8:].decode())

    def answer(self, kind):
        head = self.read(24)
        if struct.unpack('>I', head[16:20])[0] != crc32c(head[:16] + head[20:]):
            raise ValueError('header CRC')
        if head[0] == ERROR:
            self.refuse(head)
        if head[0] == BYE and kind != BYE:
            raise EOFError('BYE')
        if head[0] != kind:
            raise ValueError(f'frame {head[0]:#x} instead of {kind:#x}')
        return self.read(struct.unpack('>Q', head[8:16])[0])

    def call(self, kind, payload, answer, **fields):
        self.socket.sendall(header(kind, len(payload), **fields) + payload)
        return self.answer(answer)

    def echo(self, payload, flags=STORE):
        return self.call(ECHO, payload, DATA, flags=flags)

    def ping(self):
        return self.call(PING, bytes(16), PONG)

    def status(self):
        names = ('uptime_ms', 'sessions', 'max_sessions', 'served', 'refused', 'strangers',
                 'bytes_in', 'bytes_out', 'memory')
        return dict(zip(names, struct.unpack('>QIIQQQQQQ', self.call(STAT, b'', STATUS))))

    def bye(self):
        self.socket.sendall(header(BYE, 0))
        self.socket.close()
