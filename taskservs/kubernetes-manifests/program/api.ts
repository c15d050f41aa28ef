/**
 * The part of the host's program that talks to the API server. `kubectl proxy` does it for all kinds of logins, at a socket
 * that only root can reach. The answers are data: no text of theirs is run.
 */
export const API = String.raw`
import base64, difflib, gzip, hashlib, http.client, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, time
from urllib.parse import quote, urlencode

SPEC = json.loads(os.environ['SPEC'])
UNIT = SPEC['unit']
LABEL = 'provisioning/manifests'
MANAGER = 'provisioning-' + UNIT
DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'


class Refusal(Exception):
    """A fault that ends the work, in one line."""


class Gone(Exception):
    """There is no cluster on this host."""


class Silent(Exception):
    """The API server does not answer."""


class ApiError(Exception):
    def __init__(self, status, answer):
        answer = answer if isinstance(answer, dict) else {}
        self.status = status
        self.reason = answer.get('reason') or ''
        self.details = answer.get('details') or {}
        super().__init__(one_line(answer.get('message') or 'the API server answers with status %d' % status))


def one_line(text, most=600):
    text = re.sub(r'[\x00-\x20\x7f]+', ' ', str(text)).strip()
    return text if len(text) <= most else text[:most] + '...'


class Socket(http.client.HTTPConnection):
    def __init__(self, path, seconds):
        super().__init__('localhost', timeout=seconds)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Cluster:
    """Kinds by their version and name, and requests by objects."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.kinds = {}

    def __enter__(self):
        if not shutil.which('kubectl') or not os.path.exists(SPEC['kubeconfig']):
            raise Gone()
        self.folder = tempfile.mkdtemp(prefix='provisioning-manifests.', dir='/run')
        path = self.folder + '/socket'
        self.proxy = subprocess.Popen(
            ['kubectl', 'proxy', '--kubeconfig', SPEC['kubeconfig'], '--unix-socket', path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + 15
        while not os.path.exists(path):
            if self.proxy.poll() is not None or time.monotonic() > end:
                said = '' if self.proxy.poll() is None else self.proxy.stderr.read().decode(errors='replace')
                self.__exit__()
                raise Silent(one_line(said) or 'kubectl proxy does not start')
            time.sleep(0.02)
        self.connection = Socket(path, self.seconds)
        try:
            self.connect(end)
            self.discover()
        except BaseException:
            self.__exit__()
            raise
        return self

    def connect(self, end):
        """The socket is there a moment before the proxy listens at it."""
        while True:
            try:
                return self.connection.connect()
            except OSError as error:
                if time.monotonic() >= end:
                    raise Silent(one_line(error))
            time.sleep(0.02)

    def __exit__(self, *_):
        self.proxy.kill()
        self.proxy.wait()
        self.proxy.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, method, path, body, headers):
        for attempt in (1, 2):
            try:
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                # The server ends idle connections. All that is sent here can be sent again.
                if attempt == 2 or isinstance(error, socket.timeout):
                    raise Silent('%s %s: %s' % (method, path.split('?')[0], one_line(error) or 'no answer in time'))

    def ask(self, method, path, body=None, query=None, form='application/json', accept='application/json'):
        path += '?' + urlencode(query) if query else ''
        text = None if body is None else json.dumps(body).encode()
        status, raw = self.send(method, path, text, {'Accept': accept, 'Content-Type': form, 'Host': 'localhost'})
        try:
            answer = json.loads(raw)
        except ValueError:
            answer = {'message': raw.decode(errors='replace')}
            # An API server answers errors of its own in JSON. This is the proxy, which does not reach one.
            if status >= 500:
                raise Silent(one_line(answer['message']) or 'the answer is not JSON')
        if status >= 400:
            raise ApiError(status, answer)
        return answer

    def discover(self):
        """Reads the kinds that the server has now."""
        self.kinds = {}
        for base in ('/api', '/apis'):
            for group in self.ask('GET', base, accept=DISCOVERY).get('items', []):
                name = group.get('metadata', {}).get('name') or ''
                for version in group.get('versions', []):
                    api = (name + '/' if name else '') + version['version']
                    for one in version.get('resources', []):
                        kind = (one.get('responseKind') or {}).get('kind')
                        if kind:
                            self.kinds.setdefault((api, kind), {
                                'path': ('/apis/' if name else '/api/') + api, 'resource': one['resource'],
                                'namespaced': one['scope'] == 'Namespaced', 'verbs': one.get('verbs') or []})

    def path(self, thing, collection=False):
        kind = self.kinds[(thing['apiVersion'], thing['kind'])]
        space = thing['metadata'].get('namespace')
        within = '/namespaces/' + quote(space, safe='') if kind['namespaced'] and space else ''
        name = '' if collection else '/' + quote(thing['metadata']['name'], safe='')
        return kind['path'] + within + '/' + kind['resource'] + name

    def knows(self, thing):
        return (thing['apiVersion'], thing['kind']) in self.kinds

    def get(self, thing):
        """The object as it is, or None."""
        if not self.knows(thing):
            return None
        try:
            return self.ask('GET', self.path(thing))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def apply(self, thing, dry=False, force=True):
        query = {'fieldManager': MANAGER, 'fieldValidation': 'Strict', 'force': 'true' if force else 'false'}
        if dry:
            query['dryRun'] = 'All'
        return self.ask('PATCH', self.path(thing), thing, query, 'application/apply-patch+yaml')

    def delete(self, live):
        options = {'propagationPolicy': 'Background', 'preconditions': {'uid': live['metadata']['uid']}}
        try:
            self.ask('DELETE', self.path(live), options)
        except ApiError as error:
            if error.status not in (404, 409):
                raise
`;
