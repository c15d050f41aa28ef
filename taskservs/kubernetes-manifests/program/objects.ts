/** The part of the host's program that reads manifests, and says objects to people. */
export const OBJECTS = String.raw`
FIRST = ['Namespace', 'CustomResourceDefinition', 'PriorityClass', 'StorageClass', 'RuntimeClass', 'IngressClass']
ORDER = FIRST + ['ResourceQuota', 'LimitRange', 'PersistentVolume', 'ServiceAccount', 'Secret', 'ConfigMap', 'ClusterRole',
                 'Role', 'ClusterRoleBinding', 'RoleBinding', 'PersistentVolumeClaim', 'NetworkPolicy', 'Service']
LAST = ['APIService', 'ValidatingAdmissionPolicyBinding', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']
BUILT_IN = re.compile(r'^([a-z]+|[a-z.]+\.k8s\.io)?$')


def group_of(thing):
    api = thing['apiVersion']
    return api.rsplit('/', 1)[0] if '/' in api else ''


def ident(thing):
    """Tells one object from others. Its version is not part of that: it is the same object in all."""
    meta = thing['metadata']
    return (group_of(thing), thing['kind'], meta.get('namespace') or '', meta['name'])


def title(thing):
    group, kind, space, name = ident(thing)
    return one_line('%s %s' % (kind if BUILT_IN.match(group) else kind + '.' + group, space + '/' + name if space else name))


def rank(thing):
    kind = thing['kind']
    if kind in LAST:
        return (2, LAST.index(kind))
    return (0, ORDER.index(kind)) if kind in ORDER else (1, 0)


def in_order(things):
    return sorted(things, key=lambda thing: (rank(thing), ident(thing)))


def bare(thing):
    return {'apiVersion': thing['apiVersion'], 'kind': thing['kind'],
            'metadata': {key: thing['metadata'][key] for key in ('namespace', 'name') if thing['metadata'].get(key)}}


def to_json(text):
    """Objects of a text, as kubectl itself reads them, with the label of the unit. It asks no server."""
    args = ['kubectl', 'label', '--local', '--overwrite', '-o', 'json', '-f', '-', LABEL + '=' + UNIT]
    ran = subprocess.run(args, input=text.encode(), capture_output=True, timeout=120,
                         env={**os.environ, 'KUBECONFIG': '/dev/null', 'SPEC': ''})
    if ran.returncode != 0:
        fault = re.sub(r'^(error: )+', '', ran.stderr.decode(errors='replace').strip())
        # It quotes the whole object, which may have secrets.
        return None, one_line(re.sub(r"( is missing) in '.*", r'\1', fault, flags=re.DOTALL) or 'kubectl cannot read it')
    said, things, decoder = ran.stdout.decode().lstrip(), [], json.JSONDecoder()
    while said:
        thing, at = decoder.raw_decode(said)
        things += thing['items'] if thing.get('kind') == 'List' and 'items' in thing else [thing]
        said = said[at:].lstrip()
    return things, None


def objects_of(sources):
    """All objects of (name, text), each checked. One error, which names its source."""
    filled = [(name, text) for name, text in sources if has_content(text)]
    if not filled:
        return []
    things, fault = to_json('\n---\n'.join(text for _, text in filled))
    if fault is None and not any(missing(thing) for thing in things):
        return things
    all_things = []
    for name, text in filled:
        things, fault = to_json(text)
        if fault is not None:
            raise Refusal('%s cannot be read as Kubernetes manifests: %s' % (name, fault.replace('STDIN', name)))
        for index, thing in enumerate(things):
            if missing(thing):
                raise Refusal('%s: object %d has no %s' % (name, index + 1, missing(thing)))
        all_things += things
    return all_things


def has_content(text):
    return any(line.strip() and not line.lstrip().startswith('#') and line.rstrip() != '---' for line in text.split('\n'))


def missing(thing):
    for field in ('apiVersion', 'kind'):
        if not isinstance(thing.get(field), str) or not thing[field]:
            return field
    meta = thing.get('metadata')
    name = meta.get('name') if isinstance(meta, dict) else None
    return None if isinstance(name, str) and name else 'metadata.name'


def defined_by(things):
    """Scopes of the kinds that the manifests themselves define."""
    found = {}
    for thing in things:
        if thing['kind'] == 'CustomResourceDefinition' and group_of(thing) == 'apiextensions.k8s.io':
            spec = thing.get('spec') or {}
            for version in spec.get('versions') or []:
                api = '%s/%s' % (spec.get('group'), version.get('name'))
                found[(api, (spec.get('names') or {}).get('kind'))] = spec.get('scope') == 'Namespaced'
    return found


def is_applied(thing):
    """Hooks of charts that run after or before a deletion, a roll-back or a test are no part of what is applied."""
    hooks = ((thing['metadata'].get('annotations') or {}).get('helm.sh/hook') or '').split(',')
    return hooks == [''] or any(hook.strip() in ('pre-install', 'post-install', 'pre-upgrade', 'post-upgrade', 'crd-install') for hook in hooks)


def encode_strings(thing):
    """Texts of a Secret as the server keeps them. It never removes a text from them that leaves the manifest."""
    texts = thing.get('stringData')
    is_secret = thing['kind'] == 'Secret' and group_of(thing) == ''
    # What is no text is left to the server, which refuses it.
    if is_secret and isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values()):
        del thing['stringData']
        encoded = {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()}
        thing['data'] = {**(thing.get('data') or {}), **encoded}


def settle(cluster, things):
    """Says the namespace of each object, and refuses one that is there twice."""
    things = [thing for thing in things if is_applied(thing)]
    own, seen = defined_by(things), {}
    for thing in things:
        thing.pop('status', None)
        encode_strings(thing)
        for field in NOISE:
            thing['metadata'].pop(field, None)
        key = (thing['apiVersion'], thing['kind'])
        kind = cluster.kinds.get(key)
        namespaced = kind['namespaced'] if kind else own.get(key, bool(thing['metadata'].get('namespace')))
        if namespaced:
            thing['metadata']['namespace'] = thing['metadata'].get('namespace') or SPEC['namespace']
        else:
            thing['metadata'].pop('namespace', None)
        if ident(thing) in seen:
            raise Refusal('%s is in the manifests twice' % title(thing))
        seen[ident(thing)] = thing
    return in_order(things)


NOISE = ('managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp', 'selfLink')
LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'


def clean(thing):
    """An object without what the server alone decides."""
    kept = {key: value for key, value in thing.items() if key != 'status'}
    kept['metadata'] = {key: value for key, value in thing['metadata'].items() if key not in NOISE}
    return kept


def masked(thing, other):
    """A Secret without its values: equal ones are shown alike. Other objects as they are."""
    if thing is None or thing['kind'] != 'Secret' or group_of(thing) != '':
        return thing
    hidden = dict(thing, metadata=dict(thing['metadata']))
    notes = {key: value for key, value in (hidden['metadata'].get('annotations') or {}).items() if key != LAST_APPLIED}
    if 'annotations' in hidden['metadata']:
        hidden['metadata']['annotations'] = notes
    for field in ('data', 'stringData'):
        if isinstance(thing.get(field), dict):
            before = (other or {}).get(field) or {}
            hidden[field] = {key: '***' if other is None or before.get(key) == value else '*** (another value)'
                             for key, value in thing[field].items()}
    return hidden


def lines_of(value, indent=''):
    """Text in the style of YAML, for people only."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from pair(indent + one_line(key) + ':', value[key], indent + '  ')
    elif isinstance(value, list) and value:
        for item in value:
            below = list(lines_of(item, indent + '  '))
            yield indent + '- ' + below[0].lstrip()
            yield from below[1:]
    else:
        yield indent + plain(value)


def pair(head, value, indent):
    if isinstance(value, (dict, list)) and value:
        yield head
        yield from lines_of(value, indent)
    elif isinstance(value, str) and '\n' in value.strip('\n'):
        yield head + ' |'
        for line in value.rstrip('\n').split('\n'):
            yield indent + re.sub(r'[\x00-\x1f\x7f]', '?', line)
    else:
        yield head + ' ' + plain(value)


def plain(value):
    if isinstance(value, str) and re.match(r'^[A-Za-z/*][\w./:*() -]*$', value) and value not in ('true', 'false', 'null'):
        return value
    return json.dumps(value)


def diff(before, after):
    """Lines of a unified diff, and how many were added and removed."""
    old = [] if before is None else list(lines_of(masked(clean(before), None)))
    new = [] if after is None else list(lines_of(masked(clean(after), before and clean(before))))
    lines = list(difflib.unified_diff(old, new, n=3, lineterm=''))[2:]
    count = lambda sign: sum(line.startswith(sign) for line in lines)
    return {'lines': lines[:200], 'added': count('+'), 'removed': count('-'), 'more': max(0, len(lines) - 200)}
`;
