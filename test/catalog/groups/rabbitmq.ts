import { type GroupService, makeCertificates, runPython } from './group-service.js';

/** A client of AMQP 0-9-1 for one queue, whose messages it publishes with confirms. */
const AMQP = `
import socket, struct, sys
plain = socket.create_connection((socket.gethostname(), 5672), 5)
plain.settimeout(8)
answers = plain.makefile('rb')
def word(text): return struct.pack('>B', len(text)) + text
def frame(kind, channel, content): plain.sendall(struct.pack('>BHI', kind, channel, len(content)) + content + b'\\xce')
def method(channel, group, number, rest=b''): frame(1, channel, struct.pack('>HH', group, number) + rest)
def receive():
    while True:
        kind, channel, length = struct.unpack('>BHI', answers.read(7))
        content = answers.read(length + 1)[:-1]
        if kind != 8: return kind, content
def expect(*wanted):
    kind, content = receive()
    found = struct.unpack('>HH', content[:4])
    if kind != 1 or found not in wanted: sys.exit('%s %r' % (found, content[4:]))
    return found, content[4:]
plain.sendall(b'AMQP\\0\\0\\x09\\x01')
expect((10, 10))
login = b'\\0shop\\0shop-password'
method(0, 10, 11, struct.pack('>I', 0) + word(b'PLAIN') + struct.pack('>I', len(login)) + login + word(b'en_US'))
expect((10, 30))
method(0, 10, 31, struct.pack('>HIH', 2, 131072, 0))
method(0, 10, 40, word(b'shop') + b'\\0\\0')
expect((10, 41))
method(1, 20, 10, b'\\0')
expect((20, 11))
`;

export const rabbitmq: GroupService = {
  name: 'rabbitmq',
  unit: 'rabbitmq-server',
  config: {
    ...{ cluster: 'main', cookie: { secret: 'rabbitmq-cookie' }, users: [{ name: 'shop', password: { secret: 'shop' } }] },
    ...{ vhosts: [{ name: 'shop', users: ['shop'] }], peerTls: makeCertificates('rabbitmq-peers', ['a', 'b', 'c']) },
  },
  secrets: { shop: 'shop-password', 'rabbitmq-cookie': 'cookie-of-the-groups-test' },
  change: { memoryShare: 0.5 },
  changed: { shown: 'grep ^vm_memory /etc/rabbitmq/rabbitmq.conf', is: 'vm_memory_high_watermark.relative = 0.5' },
  // A confirm comes once a majority of the queue's members has the message.
  write: (key, value) =>
    runPython(
      `${AMQP}
quorum = word(b'x-queue-type') + b'S' + struct.pack('>I', 6) + b'quorum'
method(1, 50, 10, b'\\0\\0' + word(b'T') + b'\\x02' + struct.pack('>I', len(quorum)) + quorum)
expect((50, 11))
method(1, 85, 10, b'\\0')
expect((85, 11))
content = ('%s=%s' % (sys.argv[1], sys.argv[2])).encode()
method(1, 60, 40, b'\\0\\0' + word(b'') + word(b'T') + b'\\0')
frame(2, 1, struct.pack('>HHQHB', 60, 0, len(content), 0x1000, 2))
frame(3, 1, content)
expect((60, 80))`,
      ...[key, value],
    ),
  // It takes all messages, and gives them back by its end. One of an earlier read may be given back a moment later.
  read: (keys) =>
    runPython(
      `${AMQP}
found = {}
while True:
    method(1, 60, 70, b'\\0\\0' + word(b'T') + b'\\0')
    if expect((60, 71), (60, 72))[0] == (60, 72): break
    length = struct.unpack('>Q', receive()[1][4:12])[0]
    content = b''
    while len(content) < length: content += receive()[1]
    key, value = content.decode().split('=')
    found[key] = value
for key in sys.argv[1:]:
    if key in found: print(key + '=' + found[key])`,
      ...keys,
    ),
};
