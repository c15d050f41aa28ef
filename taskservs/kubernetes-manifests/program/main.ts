/** The part of the host's program that begins it: looks, changes, undoes, or says how the unit is. */
export const MAIN = String.raw`
def sources(cluster):
    """Manifests by names for people: texts of the definition, from standard input, fetched files, and rendered charts."""
    mark = '\n' + SPEC['mark'] + ' '
    parts = ('\n' + sys.stdin.buffer.read().decode(errors='replace')).split(mark)[1:]
    texts = dict(part.split('\n', 1) for part in parts)
    found = [(name, text) for name, text in texts.items() if not name.startswith('values of ')]
    for one in SPEC['fetched']:
        if 'release' in one:
            found.append((one['name'], rendered(cluster, one, texts.get('values of ' + one['name'], ''))))
        else:
            found.append((one['name'], fetched(one).decode(errors='replace')))
    return found


def rendered(cluster, one, values):
    """The manifests of a chart, by helm itself for this cluster. Hooks for tests, deletions and roll-backs are left out."""
    chart = fetched(one)
    if not os.path.exists(SPEC['helm']):
        if sys.argv[1] == 'look':
            raise Gone()
        raise Refusal('%s is not there' % SPEC['helm'])
    folder = tempfile.mkdtemp(prefix='provisioning-manifests.', dir='/run')
    try:
        path = folder + '/chart.tgz'
        with open(path, 'wb') as file:
            file.write(chart)
        args = [SPEC['helm'], 'template', one['release'], path, '--namespace', SPEC['namespace'], '--include-crds', '--skip-tests',
                '--kube-version', cluster.ask('GET', '/version')['gitVersion'], '-f', '-']
        for api, kind in sorted(cluster.kinds):
            args += ['-a', api + '/' + kind]
        for api in sorted({api for api, _ in cluster.kinds}):
            args += ['-a', api]
        home = {'HOME': folder, 'HELM_CACHE_HOME': folder, 'HELM_CONFIG_HOME': folder, 'HELM_DATA_HOME': folder, 'KUBECONFIG': '/dev/null'}
        ran = subprocess.run(args, input=values.encode(), capture_output=True, timeout=120, env={**os.environ, **home})
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if ran.returncode != 0:
        said = re.sub(r'Use --debug flag.*', '', ran.stderr.decode(errors='replace').replace(path, 'the chart'), flags=re.DOTALL)
        said = re.sub(r'^Error: ', '', said).replace('failed to parse -:', 'its values cannot be read:')
        raise Refusal('helm cannot render the chart of %s: %s' % (one['name'], one_line(said)))
    return ran.stdout.decode(errors='replace')


def fetched(one):
    """A file whose hash is checked whenever it is read. A look fetches one that is not there yet, and does not keep it."""
    path, folder = one['path'], None
    try:
        if not os.path.exists(path):
            if sys.argv[1] != 'look':
                raise Refusal('%s is not there' % path)
            folder = tempfile.mkdtemp(prefix='provisioning-manifests.', dir='/run')
            path = folder + '/file'
            ran = subprocess.run(['timeout', '8', '/usr/lib/apt/apt-helper', '-o', 'APT::Sandbox::User=root', 'download-file', one['url'], path],
                                 stdin=subprocess.DEVNULL, capture_output=True)
            if ran.returncode != 0:
                raise Gone()
        with open(path, 'rb') as file:
            content = file.read()
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
    found = hashlib.sha256(content).hexdigest()
    if found != one['sha256']:
        raise Refusal('%s: the SHA-256 of %s is %s, and should be %s' % (one['name'], one['url'], found, one['sha256']))
    return content


def told(entry):
    diffed = diff(entry['live'], entry['result'] if entry['live'] else entry['thing']) if entry['action'] in ('add', 'change') and not entry.get('late') else None
    return {'title': title(entry['thing']), 'action': entry['action'],
            **({'why': one_line(entry['problem'] or entry.get('why'), 300)} if entry['problem'] or entry.get('why') else {}),
            **({'refused': True} if entry['problem'] else {}),
            **({'diff': diffed} if diffed and not entry['problem'] else {})}


def look():
    # The platform ends a look after 15 s.
    until = time.monotonic() + 9
    with Cluster(8) as cluster:
        things = objects_of(sources(cluster))
        entries, inventory, noted = compare(cluster, settle(cluster, things), until)
        listed = len(listed_in(inventory))
        work = [told(entry) for entry in entries if entry['action'] != 'same']
        return {'state': 'seen', 'is': inventory is not None, 'listed': listed, 'noted': noted, 'work': work}


def presence():
    with Cluster(8) as cluster:
        inventory = cluster.get(inventory_of([]))
        left = listed_in(inventory)
        leaving = {ident(thing) for thing in left}
        work = []
        for thing in reversed(in_order(left)):
            live = cluster.get(thing)
            if live is not None and unit_of(live) == UNIT:
                why = kept_because(cluster, live, leaving)
                work.append({'title': title(thing), 'action': 'keep' if why else 'delete', **({'why': why} if why else {})})
        return {'state': 'seen', 'is': inventory is not None, 'listed': len(left), 'noted': True, 'work': work}


def health():
    with Cluster(8) as cluster:
        inventory = cluster.get(inventory_of([]))
        if inventory is None:
            raise Refusal('the unit %s was not applied yet' % UNIT)
        for thing in listed_in(inventory):
            live = cluster.get(thing)
            if live is None or live['metadata'].get('deletionTimestamp'):
                raise Refusal('%s: %s' % (title(thing), 'it is not there' if live is None else ending(live)))
            why = unready(live)
            if why:
                raise Refusal('%s: %s%s' % (title(live), why[0], pods_say(cluster, live)))
    print('all objects work')


def main(mode):
    if mode in ('look', 'presence'):
        try:
            print(json.dumps(look() if mode == 'look' else presence()))
        except Gone:
            print(json.dumps({'state': 'absent'}))
        except Silent as error:
            print(json.dumps({'state': 'silent', 'why': one_line(error, 300)}))
        except (Refusal, ApiError) as error:
            print(json.dumps({'state': 'refused', 'why': one_line(error)}))
        return
    try:
        if mode == 'health':
            return health()
        with Cluster(40) as cluster:
            if mode == 'undo':
                return undo(cluster, sys.argv[2])
            change(cluster, settle(cluster, objects_of(sources(cluster))) if mode == 'apply' else [], sys.argv[2])
    except Gone:
        sys.exit('there is no kubectl on this host, or no file %s' % SPEC['kubeconfig'])
    except Silent as error:
        sys.exit('the API server does not answer: %s' % error)
    except (Refusal, ApiError) as error:
        sys.exit(str(error))


main(sys.argv[1])
`;
