import { PROTOCOL } from '../../taskservs/kafka/kafka-protocol.js';

/** Libraries of Kafka, as its vendor's release has them in `libs`, with what writes its log. */
export const KAFKA_JARS = ['org.apache.kafka:kafka_2.13:4.3.1', 'org.apache.logging.log4j:log4j-slf4j-impl:2.25.4'] as const;

/** Folder in the archive of the vendor's release. */
export const KAFKA_FOLDER = 'kafka_2.13-4.3.1';

/**
 * Client of Kafka in Python, with the certificate of its host: `HOST:PORT|plain put TOPIC KEY VALUE` writes with acks=all,
 * `get TOPIC KEY…` prints `KEY=VALUE`. Metadata that names a topic creates it.
 */
export const KAFKA_CLIENT = `${PROTOCOL}
class Client(Broker):
    def __init__(self, at, tls):
        super().__init__(at, False, 8)
        if tls:
            context = ssl.create_default_context(cafile='/etc/kafka/clients-authority.pem')
            context.load_cert_chain('/etc/kafka/clients.pem')
            self.socket = context.wrap_socket(self.socket, server_hostname=at.rsplit(':', 1)[0])
def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff
def zigzag(value):
    return write_number(value << 1)
def batch(key, value):
    record = b'\\0\\0\\0' + zigzag(len(key)) + key + zigzag(len(value)) + value + b'\\0'
    now = int(time.time() * 1000)
    content = struct.pack('>hiqqqhii', 0, 0, now, now, -1, -1, -1, 1) + zigzag(len(record)) + record
    tail = struct.pack('>ibI', 0, 2, crc32c(content)) + content
    return struct.pack('>qi', 0, len(tail)) + tail
def find_leader(at, tls, topic):
    a = Client(at, tls).ask(3, 12, write_list([bytes(16) + write_text(topic) + b'\\0']) + b'\\1\\0')
    a.unpack('i')
    hosts = {}
    def broker():
        node, host, port = a.unpack('i'), a.text(), a.unpack('i')
        a.text()
        hosts[node] = '%s:%d' % (host, port)
    a.list(lambda: a.entry(broker))
    a.text()
    a.unpack('i')
    a.number()
    error = a.unpack('h')
    if error:
        raise Refused(error, None)
    a.text()
    a.uuid()
    a.unpack('b')
    a.number()
    error, _, leader = a.unpack('h'), a.unpack('i'), a.unpack('i')
    if error or leader not in hosts:
        raise Refused(error or 5, None)
    return Client(hosts[leader], tls)
def put(at, tls, topic, key, value):
    records = batch(key.encode(), value.encode())
    part = whole(0) + write_number(len(records) + 1) + records + b'\\0'
    topics = write_list([write_text(topic) + write_list([part]) + b'\\0'])
    a = find_leader(at, tls, topic).ask(0, 9, b'\\0' + short(-1) + whole(8000) + topics)
    a.number()
    a.text()
    a.number()
    a.unpack('i')
    error = a.unpack('h')
    if error:
        raise Refused(error, None)
def get(at, tls, topic, *keys):
    part = struct.pack('>iiqiqi', 0, -1, 0, -1, -1, 16 << 20) + b'\\0'
    topics = write_list([write_text(topic) + write_list([part]) + b'\\0'])
    a = find_leader(at, tls, topic).ask(1, 12, struct.pack('>iiiibii', -1, 500, 1, 16 << 20, 0, 0, -1) + topics + b'\\1\\1')
    a.unpack('i')
    error = a.unpack('h')
    a.unpack('i')
    if error:
        raise Refused(error, None)
    a.number()
    a.text()
    a.number()
    a.unpack('i')
    error = a.unpack('h')
    if error:
        raise Refused(error, None)
    for _ in range(3):
        a.unpack('q')
    a.list(lambda: a.entry(lambda: (a.unpack('q'), a.unpack('q'))))
    a.unpack('i')
    batches, found = Answer(a.take(max(0, a.number() - 1))), {}
    while batches.at + 12 <= len(batches.content):
        batches.unpack('q')
        one = Answer(batches.take(batches.unpack('i')))
        one.take(45)
        for _ in range(one.unpack('i')):
            one.number()
            one.take(1)
            one.number()
            one.number()
            key = one.take(one.number() >> 1).decode()
            found[key] = one.take(one.number() >> 1).decode()
            one.number()
    for key in keys:
        print('%s=%s' % (key, found[key]))
at, how, verb = sys.argv[1:4]
end = time.monotonic() + 12
while True:
    try:
        {'put': put, 'get': get}[verb](at, how == 'tls', *sys.argv[4:])
        break
    except (OSError, Refused) as why:
        # Another one leads by now, or the topic is being made.
        passing = not isinstance(why, Refused) or why.code in (3, 5, 6, 19, 74, 75, 100)
        if time.monotonic() > end or not passing:
            sys.exit('%s: %s' % (type(why).__name__, why))
    time.sleep(0.3)
`;
