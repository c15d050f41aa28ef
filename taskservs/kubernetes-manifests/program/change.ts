/** The part of the host's program that changes the cluster, waits, and undoes its changes. */
export const CHANGE = `
def is_true(live, kind):
    return next((one for one in (live.get('status') or {}).get('conditions') or [] if one.get('type') == kind), {})


def unready(live):
    """Why an object does not work yet, and whether it never will; None if it does."""
    group, kind, _, _ = ident(live)
    status, spec = live.get('status') or {}, live.get('spec') or {}
    if kind in ('Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet') and group == 'apps':
        if status.get('observedGeneration', 0) < live['metadata'].get('generation', 0):
            return 'its controller has not begun', False
        if kind == 'DaemonSet':
            wanted, ready, new = (status.get(key, 0) for key in ('desiredNumberScheduled', 'numberAvailable', 'updatedNumberScheduled'))
        else:
            wanted, ready = spec.get('replicas', 1), status.get('availableReplicas', 0)
            new = status.get('updatedReplicas', 0) if kind != 'ReplicaSet' else ready
        late = is_true(live, 'Progressing')
        if late.get('reason') == 'ProgressDeadlineExceeded':
            return one_line(late.get('message')), True
        rolls = (spec.get('updateStrategy') or {}).get('type') != 'OnDelete' and not (
            ((spec.get('updateStrategy') or {}).get('rollingUpdate') or {}).get('partition'))
        if ready < wanted or (rolls and new < wanted) or (kind == 'Deployment' and status.get('replicas', 0) > new):
            return '%d of %d are available, %d of them new' % (ready, wanted, new), False
    elif kind == 'CustomResourceDefinition':
        refused = is_true(live, 'NamesAccepted')
        if refused.get('status') == 'False':
            return one_line(refused.get('message')), True
        if is_true(live, 'Established').get('status') != 'True':
            return 'it is not established', False
    elif kind == 'Job' and group == 'batch':
        failed = is_true(live, 'Failed')
        if failed.get('status') == 'True':
            return 'it failed: ' + one_line(failed.get('message')), True
        if is_true(live, 'Complete').get('status') != 'True' and not spec.get('suspend'):
            return 'it has not ended', False
    elif kind == 'Pod' and group == '':
        if status.get('phase') == 'Failed':
            return 'it failed: ' + one_line(status.get('message') or status.get('reason')), True
        if status.get('phase') != 'Succeeded' and is_true(live, 'Ready').get('status') != 'True':
            return 'it is not ready', False
    elif kind == 'APIService' and is_true(live, 'Available').get('status') != 'True':
        return 'it is not available: ' + one_line(is_true(live, 'Available').get('message')), False
    return None


def pods_say(cluster, live):
    """What the pods of a workload wait for."""
    labels = ((live.get('spec') or {}).get('selector') or {}).get('matchLabels')
    if not isinstance(labels, dict) or live['kind'] == 'Job':
        return ''
    query = {'labelSelector': ','.join('%s=%s' % pair for pair in labels.items())}
    path = cluster.path({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'namespace': live['metadata']['namespace']}}, True)
    for pod in cluster.ask('GET', path, query=query).get('items') or []:
        status = pod.get('status') or {}
        waits = [one['state']['waiting'] for one in status.get('containerStatuses') or [] if (one.get('state') or {}).get('waiting')]
        unplaced = is_true(pod, 'PodScheduled')
        for why in waits + ([unplaced] if unplaced.get('status') == 'False' else []):
            if why.get('reason') not in ('ContainerCreating', 'PodInitializing'):
                return '; the pod %s: %s' % (pod['metadata']['name'], one_line('%s: %s' % (why.get('reason'), why.get('message') or '')))
    return ''


def wait_for(cluster, things, end):
    """Waits until all work. The error names all that do not."""
    while True:
        waiting = []
        for thing in things:
            live = cluster.get(thing)
            if live is None:
                raise Refusal('%s was deleted by another' % title(thing))
            why = unready(live)
            if why:
                waiting.append((live, *why))
        if not waiting:
            return
        if any(fatal for _, _, fatal in waiting) or time.monotonic() >= end:
            told = ['%s: %s%s' % (title(live), why, pods_say(cluster, live)) for live, why, _ in waiting[:5]]
            more = len(waiting) - len(told)
            head = 'not ready after %d s' % SPEC['wait'] if time.monotonic() >= end else 'never ready'
            raise Refusal('%s: %s%s' % (head, '; '.join(told), '; and %d more' % more if more else ''))
        time.sleep(1)


def wait_until_gone(cluster, thing, end):
    while True:
        live = cluster.get(thing)
        if live is None or live['metadata']['uid'] != thing['metadata']['uid']:
            return
        if time.monotonic() >= end:
            raise Refusal('%s: %s' % (title(thing), ending(live) if live['metadata'].get('deletionTimestamp') else 'it is still there'))
        time.sleep(0.5)


def save(path, entries):
    """Keeps the former objects, once: a later try begins with what an earlier one changed."""
    if os.path.exists(path):
        return
    kept = [{'thing': bare(entry['thing']), 'live': entry['live']} for entry in entries]
    with open(path + '.draft', 'wb') as file:
        file.write(gzip.compress(json.dumps(kept).encode()))
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + '.draft', path)


def put(cluster, thing, end):
    """Applies one object. A kind that was just defined, and a webhook that just starts, may need a moment."""
    while True:
        try:
            return cluster.apply(thing, force=SPEC['conflicts'] == 'take')
        except ApiError as error:
            starts = error.status == 404 or (error.status == 500 and 'failed calling webhook' in str(error))
            if not starts or time.monotonic() >= end:
                raise Refusal('%s: the API server refuses it: %s' % (title(thing), error))
        except KeyError:
            if time.monotonic() >= end:
                raise Refusal('%s: the cluster has no kind %s in %s' % (title(thing), thing['kind'], thing['apiVersion']))
        time.sleep(1)
        cluster.discover()


def change(cluster, things, former):
    entries, inventory, noted = compare(cluster, things)
    faults = [entry for entry in entries if entry['problem']]
    if faults:
        more = ' (and %d more)' % (len(faults) - 1) if len(faults) > 1 else ''
        raise Refusal('%s: %s%s' % (title(faults[0]['thing']), faults[0]['problem'], more))
    wanted = [entry for entry in entries if entry['action'] in ('add', 'change')]
    left = [entry for entry in entries if entry['action'] in ('delete', 'keep')]
    if not wanted and not left and noted:
        return
    end = time.monotonic() + SPEC['wait']
    save(former, wanted + left + [{'thing': inventory_of([]), 'live': inventory}])
    if things or left:
        same = [entry['thing'] for entry in entries if entry['action'] == 'same']
        put(cluster, inventory_of(things + [entry['thing'] for entry in left], same), end)
    for stage in (0, 1, 2):
        some = [entry for entry in wanted if rank(entry['thing'])[0] == stage]
        for entry in some:
            put(cluster, entry['thing'], end)
            print('%s %s' % ('added' if entry['action'] == 'add' else 'changed', title(entry['thing'])), flush=True)
        defined = [entry['thing'] for entry in some if entry['thing']['kind'] == 'CustomResourceDefinition']
        wait_for(cluster, defined, end)
        if defined:
            cluster.discover()
    wait_for(cluster, [entry['thing'] for entry in wanted], end)
    drop(cluster, [entry['thing'] for entry in left], max(end, time.monotonic() + 30))
    if things:
        put(cluster, inventory_of(things, things), end)
    elif inventory:
        cluster.delete(inventory)


def drop(cluster, things, end):
    """
    Deletes objects of the unit, namespaces and definitions of kinds last, and waits until they are gone. What may hold
    data stays, and is the unit's no more.
    """
    leaving, faults = {ident(thing) for thing in things}, []
    for last in (False, True):
        going = []
        for thing in things:
            if (thing['kind'] in FIRST) == last:
                try:
                    going += begin_to_drop(cluster, thing, leaving)
                except ApiError as error:
                    faults.append('%s: %s' % (title(thing), error))
        for live in going:
            try:
                wait_until_gone(cluster, live, end)
                print('deleted %s' % title(live), flush=True)
            except (ApiError, Refusal) as error:
                faults.append(str(error))
    if faults:
        raise Refusal('; '.join(faults[:5]))


def begin_to_drop(cluster, thing, leaving):
    live = cluster.get(thing)
    if live is None or unit_of(live) != UNIT:
        return []
    why = kept_because(cluster, live, leaving)
    if not why:
        cluster.delete(live)
        return [live]
    label = {'metadata': {'labels': {LABEL: None}}}
    cluster.ask('PATCH', cluster.path(live), label, {'fieldManager': MANAGER}, 'application/merge-patch+json')
    print('kept %s: %s' % (title(live), why), flush=True)
    return []


def restore(cluster, live):
    """Gives an object its former content, and its fields their former managers: the second request changes only those."""
    body = dict(live, metadata={key: value for key, value in live['metadata'].items() if key not in ('resourceVersion', 'uid', 'generation', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds')})
    done = 0
    for _ in range(8):
        now = cluster.get(live)
        if now is None:
            cluster.ask('POST', cluster.path(live, True), {key: value for key, value in body.items() if key != 'status'}, {'fieldManager': MANAGER})
            continue
        if done == 2 or (clean(now) == clean(live) and now['metadata'].get('managedFields') == live['metadata'].get('managedFields')):
            return
        again = dict(body, metadata=dict(body['metadata'], resourceVersion=now['metadata']['resourceVersion']))
        try:
            cluster.ask('PUT', cluster.path(live), again, {'fieldManager': MANAGER})
            done += 1
        except ApiError as error:
            if error.status != 409:
                raise
            time.sleep(0.2)


def restore_known(cluster, live, end):
    """The same once its kind is there: the definition of the kind may have been restored right before."""
    while True:
        try:
            return restore(cluster, live)
        except KeyError:
            if time.monotonic() >= end:
                raise Refusal('the cluster has no kind %s in %s' % (live['kind'], live['apiVersion']))
        except ApiError as error:
            if error.status != 404 or time.monotonic() >= end:
                raise
        time.sleep(0.5)
        cluster.discover()


def undo(cluster, former):
    """Restores the former objects, and deletes those that there were not, if they hold no data by now."""
    with open(former, 'rb') as file:
        kept = json.loads(gzip.decompress(file.read()))
    # The limit of the change may have been short. This is the way back.
    failed, end = [], time.monotonic() + 120
    there = [one for one in kept if one['live']]
    for live in in_order([one['live'] for one in there]):
        try:
            restore_known(cluster, live, end)
        except (ApiError, Refusal) as error:
            failed.append('%s: %s' % (title(live), error))
    try:
        drop(cluster, list(reversed(in_order([one['thing'] for one in kept if not one['live']]))), end)
    except (ApiError, Refusal) as error:
        failed.append(str(error))
    if failed:
        raise Refusal('not all could be restored: %s' % '; '.join(failed[:5]))
`;
