/** The part of the host's program that compares what is wanted with the cluster, by dry runs of the server. */
export const PLAN = String.raw`
SPACE = 'kube-system'


def digest(thing):
    """Tells whether a manifest is the one that was applied. None of a Secret: its values could be guessed by it."""
    if ident(thing)[:2] == ('', 'Secret'):
        return ''
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()[:16]


def inventory_of(things, applied=()):
    """The list of the unit's objects, kept in the cluster: what leaves the manifests is found by it."""
    digests = {ident(thing): digest(thing) for thing in applied}
    rows = sorted([thing['apiVersion'], thing['kind'], thing['metadata'].get('namespace') or '', thing['metadata']['name'],
                   digests.get(ident(thing), '')] for thing in things)
    return {'apiVersion': 'v1', 'kind': 'ConfigMap',
            'metadata': {'namespace': SPACE, 'name': 'provisioning-manifests-' + UNIT, 'labels': {LABEL: UNIT}},
            'data': {'objects': ''.join(json.dumps(row) + '\n' for row in rows)}}


def rows_of(inventory):
    """Rows of an inventory; it is data of the cluster, which others can change."""
    for line in ((inventory or {}).get('data') or {}).get('objects', '').split('\n'):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, list) and len(row) == 5 and all(isinstance(part, str) for part in row):
            yield row


def listed_in(inventory):
    """Objects that an inventory lists."""
    return [{'apiVersion': api, 'kind': kind, 'metadata': {'namespace': space, 'name': name} if space else {'name': name}}
            for api, kind, space, name, _ in rows_of(inventory)]


def unit_of(live):
    return ((live['metadata'].get('labels') or {}).get(LABEL)) if live else None


def ending(live):
    """Why an object that is being deleted is still there."""
    waits = list(live['metadata'].get('finalizers') or []) + list((live.get('spec') or {}).get('finalizers') or [])
    told = [one_line(one.get('message') or '', 200) for one in (live.get('status') or {}).get('conditions') or []
            if one.get('status') == 'True' and one.get('message')]
    return 'it is being deleted since %s, and waits for %s%s' % (
        one_line(live['metadata']['deletionTimestamp']), one_line(', '.join(map(str, waits))) or 'its end',
        ': ' + told[-1] if told else '')


def namespace_fault(cluster, name, wanted, known):
    """None if objects can be made in a namespace; '' if it comes with the manifests; else the reason."""
    if name not in known:
        live = cluster.get({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': name}})
        if live is None:
            known[name] = '' if name in wanted else 'its namespace %s does not exist' % name
        else:
            known[name] = 'its namespace %s cannot be used: %s' % (name, ending(live)) if live['metadata'].get('deletionTimestamp') else None
    return known[name]


def covers(live, wanted):
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(key in live and covers(live[key], value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(live, list) and len(live) == len(wanted) and all(map(covers, live, wanted))
    return live == wanted


def tried(cluster, thing, live):
    """Result of a dry run. Without one, if a webhook does not support it, what is known without it."""
    try:
        return cluster.apply(thing, dry=True, force=SPEC['conflicts'] == 'take')
    except ApiError as error:
        if error.status == 400 and 'does not support dry run' in str(error):
            return live if live and covers(live, thing) else thing
        raise


def look_at(cluster, thing, wanted, own, known, applied):
    """What there is to do about one wanted object: add, change, same, or why it cannot be."""
    live = cluster.get(thing)
    if live and applied and applied == digest(thing) and covers(live, thing) and not live['metadata'].get('deletionTimestamp'):
        # The manifest is the applied one, and all its fields are as it says: no dry run is needed.
        return {'thing': thing, 'live': live, 'result': live, 'action': 'same', 'problem': None}
    entry = {'thing': thing, 'live': live, 'result': thing, 'action': 'change' if live else 'add', 'problem': None}
    if not cluster.knows(thing):
        if (thing['apiVersion'], thing['kind']) not in own:
            entry['problem'] = 'the cluster has no kind %s in %s: its CustomResourceDefinition has to be there first' % (
                one_line(thing['kind']), one_line(thing['apiVersion']))
        return entry
    if unit_of(live) not in (None, UNIT):
        entry['problem'] = 'it belongs to the unit %s' % one_line(unit_of(live))
    elif live and live['metadata'].get('deletionTimestamp'):
        entry['problem'] = ending(live)
    else:
        space = thing['metadata'].get('namespace')
        fault = namespace_fault(cluster, space, wanted, known) if space else None
        if fault:
            entry['problem'] = fault
        elif fault is None:
            try:
                entry['result'] = tried(cluster, thing, live)
            except ApiError as error:
                entry['problem'] = 'the API server refuses it: %s' % error
    if live and entry['problem'] is None and clean(live) == clean(entry['result']):
        entry['action'] = 'same'
    return entry


def others_in(cluster, space, leaving):
    """Objects of a namespace that are neither leaving nor made by the cluster for each."""
    for (api, kind), known in sorted(cluster.kinds.items()):
        if not known['namespaced'] or 'list' not in known['verbs'] or kind in ('Event', 'Endpoints', 'EndpointSlice', 'PodMetrics'):
            continue
        try:
            listed = cluster.ask('GET', cluster.path({'apiVersion': api, 'kind': kind, 'metadata': {'namespace': space}}, True))
        except ApiError:
            continue
        for item in listed.get('items') or []:
            thing = {'apiVersion': api, 'kind': kind, 'metadata': item['metadata']}
            default = (kind, item['metadata']['name']) in (('ServiceAccount', 'default'), ('ConfigMap', 'kube-root-ca.crt'))
            if not default and not item['metadata'].get('ownerReferences') and ident(thing) not in leaving:
                return title(thing)
    return None


def kept_because(cluster, live, leaving):
    """Why an object stays though it left the manifests: it may hold data. None if it can go."""
    group, kind, _, name = ident(live)
    if (live['metadata'].get('annotations') or {}).get('helm.sh/resource-policy') == 'keep':
        return 'its annotation helm.sh/resource-policy says so'
    phase = (live.get('status') or {}).get('phase')
    if group == '' and kind in ('PersistentVolumeClaim', 'PersistentVolume') and phase in ('Bound', 'Released'):
        return 'it holds data'
    if group == '' and kind == 'Namespace':
        other = others_in(cluster, name, leaving)
        return other and 'it has other objects, such as %s' % other
    if kind == 'CustomResourceDefinition':
        for api, known in ((key[0], value) for key, value in cluster.kinds.items()):
            if known['resource'] == live['spec']['names']['plural'] and api.split('/')[0] == live['spec']['group']:
                listed = cluster.ask('GET', known['path'] + '/' + known['resource'], query={'limit': 500})
                for item in listed.get('items') or []:
                    if ident({**item, 'apiVersion': api, 'kind': live['spec']['names']['kind']}) not in leaving:
                        return 'there are objects of its kind'
    return None


def place(thing):
    return (thing['apiVersion'], thing['kind'], thing['metadata'].get('namespace') or '', thing['metadata']['name'])


def uncompared(thing):
    return {'thing': thing, 'live': None, 'result': None, 'action': 'change', 'problem': None, 'late': True,
            'why': 'the time of a look was too short to compare it'}


def compare(cluster, things, until=None):
    """
    Entries of all wanted objects, of those that left, and whether the inventory differs. A look has limited time: what it
    does not reach is left to the change, which compares all.
    """
    wanted = {thing['metadata']['name'] for thing in things if ident(thing)[:2] == ('', 'Namespace')}
    own, known = defined_by(things), {}
    inventory = cluster.get(inventory_of([]))
    applied = {(api, kind, space, name): row for api, kind, space, name, row in rows_of(inventory)}
    entries = [uncompared(thing) if until and time.monotonic() >= until else
               look_at(cluster, thing, wanted, own, known, applied.get(place(thing), '')) for thing in things]
    now = {ident(thing) for thing in things}
    left = [thing for thing in listed_in(inventory) if ident(thing) not in now]
    leaving = {ident(thing) for thing in left}
    for thing in reversed(in_order(left)):
        live = cluster.get(thing)
        if live is None or unit_of(live) != UNIT:
            continue
        why = kept_because(cluster, live, leaving)
        entries.append({'thing': thing, 'live': live, 'result': None, 'problem': None, 'why': why, 'action': 'keep' if why else 'delete'})
    noted = inventory is not None and sorted(applied) == sorted(place(thing) for thing in things)
    return entries, inventory, noted or (inventory is None and not things)
`;
