/**
 * Python that speaks the protocol of Kafka, as far as a member needs it. A Java client takes seconds to start, and a check
 * of the health must not.
 *
 * `Broker(at, tls, timeout)` connects to `HOST:PORT`; `metadata()`, `quorum()`, `add()`, `remove()` and others
 * ask. What is answered in another form raises `Odd`; an error of Kafka's raises `Refused` with its number.
 */
export const PROTOCOL = `
import base64, re, socket, ssl, struct, sys, time
def show(text):
    return re.sub('[^ -~]', '?', text[:200])
class Refused(Exception):
    def __init__(self, code, why):
        super().__init__('Kafka answers with the error %d%s' % (code, ': ' + show(why) if why else ''))
        self.code = code
class Odd(Exception):
    pass
def write_number(value):
    out = b''
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])
def write_text(value):
    return b'\\0' if value is None else write_number(len(value.encode()) + 1) + value.encode()
def write_list(parts):
    return write_number(len(parts) + 1) + b''.join(parts)
def short(value):
    return struct.pack('>h', value)
def whole(value):
    return struct.pack('>i', value)
def directory(value):
    return base64.urlsafe_b64decode(value + '==')
class Answer:
    def __init__(self, content):
        self.content, self.at = content, 0
    def take(self, count):
        if count < 0 or self.at + count > len(self.content):
            raise Odd('an answer of Kafka ends too early')
        self.at += count
        return self.content[self.at - count:self.at]
    def unpack(self, form):
        return struct.unpack('>' + form, self.take(struct.calcsize('>' + form)))[0]
    def number(self):
        value = shift = 0
        while shift < 35:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise Odd('a number of Kafka is too long')
    def text(self):
        length = self.number()
        return None if length == 0 else self.take(length - 1).decode('utf-8', 'replace')
    def uuid(self):
        return base64.urlsafe_b64encode(self.take(16)).decode().rstrip('=')
    def tags(self):
        for _ in range(self.number()):
            self.number()
            self.take(self.number())
    def list(self, read):
        return [read() for _ in range(max(0, self.number() - 1))]
    def entry(self, read):
        value = read()
        self.tags()
        return value
class Broker:
    def __init__(self, at, tls, timeout):
        host, port = at.rsplit(':', 1)
        self.socket = socket.create_connection((host.strip('[]'), int(port)), timeout)
        self.socket.settimeout(timeout)
        self.count = 0
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            # All members have one certificate, of an authority that signs no others.
            context.check_hostname = False
            context.load_verify_locations('/etc/kafka/peers-authority.pem')
            context.load_cert_chain('/etc/kafka/peers.pem')
            self.socket = context.wrap_socket(self.socket)
    def close(self):
        self.socket.close()
    def receive(self, count):
        out = b''
        while len(out) < count:
            part = self.socket.recv(min(65536, count - len(out)))
            if not part:
                raise OSError('the connection ended')
            out += part
        return out
    def ask(self, key, version, content):
        self.count += 1
        request = short(key) + short(version) + whole(self.count) + short(12) + b'provisioning' + b'\\0' + content + b'\\0'
        self.socket.sendall(whole(len(request)) + request)
        size = struct.unpack('>i', self.receive(4))[0]
        if not 4 <= size <= 64 << 20:
            raise Odd('an answer of Kafka has the size %d' % size)
        answer = Answer(self.receive(size))
        if answer.unpack('i') != self.count:
            raise Odd('Kafka answers another question')
        answer.tags()
        return answer
    def metadata(self, topics=True):
        """Brokers that are not fenced, the cluster, and partitions: (topic, index, error, leader, replicas, in sync)."""
        a = self.ask(3, 12, (b'\\0' if topics else b'\\1') + b'\\0\\0')
        a.unpack('i')
        brokers = [one[0] for one in a.list(lambda: a.entry(lambda: (a.unpack('i'), a.text(), a.unpack('i'), a.text())))]
        cluster = a.text()
        if not re.fullmatch('[A-Za-z0-9_-]{22}', cluster or ''):
            raise Odd('the id of the cluster has another form')
        a.unpack('i')
        def partition():
            error, index, leader, _ = a.unpack('h'), a.unpack('i'), a.unpack('i'), a.unpack('i')
            replicas, synced, _ = (a.list(lambda: a.unpack('i')) for _ in range(3))
            return index, error, leader, list(replicas), list(synced)
        def topic():
            a.unpack('h')
            name = a.text()
            a.uuid()
            a.unpack('b')
            found = a.list(lambda: a.entry(partition))
            a.unpack('i')
            return [(name,) + one for one in found]
        return brokers, cluster, [one for part in a.list(lambda: a.entry(topic)) for one in part]
    def quorum(self):
        """The leader, and voters and observers: (node, directory, end of its log, milliseconds it was last caught up at)."""
        a = self.ask(55, 2, write_list([write_text('__cluster_metadata') + write_list([whole(0) + b'\\0']) + b'\\0']))
        error, why = a.unpack('h'), a.text()
        if error:
            raise Refused(error, why)
        def replica():
            node, place, end, _, caught = a.unpack('i'), a.uuid(), a.unpack('q'), a.unpack('q'), a.unpack('q')
            return node, place, end, caught
        def partition():
            a.unpack('i')
            error, why, leader, _, _ = a.unpack('h'), a.text(), a.unpack('i'), a.unpack('i'), a.unpack('q')
            if error:
                raise Refused(error, why)
            return leader, a.list(lambda: a.entry(replica)), a.list(lambda: a.entry(replica))
        found = [one for topic in a.list(lambda: a.entry(lambda: (a.text(), a.list(lambda: a.entry(partition)))[1])) for one in topic]
        if len(found) != 1 or found[0][0] < 0:
            raise Odd('no leader is known')
        return found[0]
    def done(self, a):
        a.unpack('i')
        error, why = a.unpack('h'), a.text()
        if error:
            raise Refused(error, why)
        return a
    def add(self, cluster, node, place, host, port):
        listener = write_text('CONTROLLER') + write_text(host) + struct.pack('>H', port) + b'\\0'
        self.done(self.ask(80, 0, write_text(cluster) + whole(20000) + whole(node) + directory(place) + write_list([listener])))
    def remove(self, cluster, node, place):
        self.done(self.ask(81, 0, write_text(cluster) + whole(node) + directory(place)))
    def reassign(self, wanted):
        """Gives partitions other replicas: (topic, index, replicas)."""
        topics = [write_text(topic) + write_list([whole(index) + write_list([whole(one) for one in to]) + b'\\0']) + b'\\0'
                  for topic, index, to in wanted]
        a = self.done(self.ask(45, 0, whole(20000) + write_list(topics)))
        def partition():
            a.unpack('i')
            return a.unpack('h'), a.text()
        for _, parts in a.list(lambda: a.entry(lambda: (a.text(), a.list(lambda: a.entry(partition))))):
            for error, why in parts:
                if error:
                    raise Refused(error, why)
    def moving(self):
        """Partitions that get other replicas now: (topic, index, replicas that go)."""
        a = self.done(self.ask(46, 0, whole(20000) + b'\\0'))
        def partition():
            index = a.unpack('i')
            replicas, adding, removing = (a.list(lambda: a.unpack('i')) for _ in range(3))
            return index, removing
        topics = a.list(lambda: a.entry(lambda: (a.text(), a.list(lambda: a.entry(partition)))))
        return [(topic, index, removing) for topic, parts in topics for index, removing in parts]
    def set_default(self, name, value):
        """Sets a configuration of all brokers."""
        config = write_text(name) + b'\\0' + write_text(value) + b'\\0'
        a = self.ask(44, 1, write_list([b'\\4' + write_text('') + write_list([config]) + b'\\0']) + b'\\0')
        a.unpack('i')
        for error, why in a.list(lambda: a.entry(lambda: (a.unpack('h'), a.text(), a.unpack('b'), a.text())[:2])):
            if error:
                raise Refused(error, why)
    def unregister(self, node):
        self.done(self.ask(64, 0, whole(node)))
`;
