import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { OperationResult } from '../../core/operation/operation.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { API_PROGRAMS, startApi } from '../support/kubernetes/api-on-host.js';
import { findKubernetes, whyNoKubernetes } from '../support/kubernetes/kubernetes-cache.js';
import { CHART, configMap, DEPLOYMENT, KIND, ROLE, SECRET, SPACE, WEBHOOK } from '../support/kubernetes/manifest-texts.js';
import { run, runWell } from '../support/operations.js';

const NEEDS = { programs: API_PROGRAMS, images: [] };
const why = whyNoKubernetes('1.36', NEEDS) ?? (await whyNoHosts());
if (why) console.warn(`left out: ${why}`);

const INFRA = `manifests-${process.pid}`;

const HELM_NEEDS = { programs: ['helm'], images: [] } as const;
const whyNoHelm = whyNoKubernetes('1.36', HELM_NEEDS);
if (whyNoHelm) console.warn(`left out: charts: ${whyNoHelm}`);

describe.skipIf(why)('Kubernetes manifests on a real API server', () => {
  let engine: TestEngine;
  const cp = shellOf(INFRA, 'cp');
  const timing = { healthMs: 15_000, heartbeatMs: 5_000, retryMs: 200 };
  const k = (words: string) => cp(`kubectl --kubeconfig /etc/kubernetes/admin.conf ${words}`);

  const define = (manifests?: Record<string, object>, more: object = {}) =>
    definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'cp' }],
      taskservs: manifests ? [{ name: 'kubernetes-manifests@shop', config: { manifests, wait: '20 s', ...more } }] : [],
    });
  const text = (content: string) => ({ shop: { content } });
  const values = { PASSWORD: { generate: 'password' }, USER: 'shop' };
  const FIRST = {
    shop: { content: SPACE + SECRET + ROLE + KIND + configMap('settings', 'blue') + configMap('old', 'red'), values },
  };
  const SECOND = { shop: { content: SPACE + SECRET + ROLE + KIND + configMap('settings', 'green'), values } };
  const apply = (manifests?: Record<string, object>, more?: object) =>
    runWell(engine, { infra: INFRA, definition: define(manifests, more), timing });
  const preview = (manifests?: Record<string, object>, more?: object) =>
    run(engine, { infra: INFRA, definition: define(manifests, more), timing, check: true, diff: true });
  const fail = (manifests: Record<string, object>, more?: object) =>
    run(engine, { infra: INFRA, definition: define(manifests, more), timing, onFailure: 'rollback' });
  const applied = ({ plan }: OperationResult) => plan.find(({ title }) => /manifests of the unit|objects of the unit/.test(title));
  /** All objects of the unit, without numbers that any write raises. */
  const objects = () =>
    k(
      `get -A --show-managed-fields -o json -l provisioning/manifests=shop namespaces,configmaps,secrets,clusterroles,customresourcedefinitions,deployments | grep -v '"resourceVersion"'`,
    );

  withHostEngine(INFRA, async (started) => {
    engine = started;
    await apply();
    const build = findKubernetes('1.36', NEEDS);
    if (build) await startApi(INFRA, 'cp', build);
    // With it, already the first preview names the objects.
    await cp('DEBIAN_FRONTEND=noninteractive apt-get install -qy python3 >/dev/null');
  });

  test('applies objects of kinds that come with them, and has nothing to do then', async () => {
    const shown = await preview(FIRST);
    expect(applied(shown)).toMatchObject({ change: 'add', attributes: expect.arrayContaining(['Namespace shop is added']) });
    await apply(FIRST);
    expect(await k('get configmap -n shop settings -o jsonpath={.data.colour}')).toBe('blue');
    expect(await k('get orders -n shop first -o jsonpath={.spec.pieces}')).toBe('3');
    expect(await k('get secret -n shop login -o jsonpath={.data.user} | base64 -d')).toBe('shop');
    expect(await k('get clusterrole shop-reader -o jsonpath={.metadata.managedFields[*].manager}')).toBe('provisioning-shop');
    const from = performance.now();
    expect((await preview(FIRST)).plan).toEqual([]);
    console.warn(`second run, nothing to do: ${Math.round(performance.now() - from)} ms`);
  });

  test('a preview shows the difference of each object, and no value of a Secret', async () => {
    await k(`patch secret -n shop login --type merge -p '{"stringData":{"user":"by hand"}}'`);
    const shown = await preview(SECOND);
    const line = applied(shown);
    expect(line).toMatchObject({
      change: 'change',
      attributes: ['Secret shop/login changes', 'ConfigMap shop/settings changes', 'ConfigMap shop/old is deleted'],
    });
    const lines = line?.diff?.lines ?? [];
    expect(lines).toEqual(expect.arrayContaining(['@@ ConfigMap shop/settings @@', '-  colour: blue', '+  colour: green']));
    expect(lines.filter((one) => one.includes('user'))).toEqual([
      expect.stringMatching(/^-/),
      expect.stringContaining('another value'),
    ]);
    const password = await k('get secret -n shop login -o jsonpath={.data.password} | base64 -d');
    expect(JSON.stringify(shown)).not.toContain(password);
    expect(JSON.stringify(shown)).not.toContain(Buffer.from(password).toString('base64'));
    expect(await k('get configmap -n shop settings -o jsonpath={.data.colour}')).toBe('blue');
  });

  test('changes what differs, also what was edited by hand, and deletes what left the manifests', async () => {
    await k(`patch configmap -n shop settings --type merge -p '{"data":{"colour":"hand"}}'`);
    const refused = await fail(SECOND, { conflicts: 'refuse' });
    expect(refused.error?.why).toMatch(/conflict with "kubectl-patch"/);
    expect(await k('get configmap -n shop settings -o jsonpath={.data.colour}')).toBe('hand');
    await apply(SECOND);
    expect(await k('get configmap -n shop settings -o jsonpath={.data.colour}')).toBe('green');
    expect(await k('get secret -n shop login -o jsonpath={.data.user} | base64 -d')).toBe('shop');
    await expect(k('get configmap -n shop old')).rejects.toThrow('not found');
    expect((await preview(SECOND)).plan).toEqual([]);
  });

  test('an operation that was done is undone later by its sealed journal', async () => {
    const before = await objects();
    const third = { shop: { content: SPACE + SECRET + configMap('settings', 'white') + configMap('new', 'white'), values } };
    const { operation } = await apply(third);
    await expect(k('get clusterrole shop-reader')).rejects.toThrow('not found');
    const kept = await cp(`cd /var/lib/provisioning/operations/${operation} && find . -path '*/former/*'`);
    expect(kept).toMatch(/\.sealed$/m);
    expect(kept).not.toMatch(/\.file$/m);
    await runWell(engine, { infra: INFRA, intent: { verb: 'rollback', of: operation }, timing });
    expect(await k('get configmap -n shop settings -o jsonpath={.data.colour}')).toBe('green');
    expect(await k('get orders -n shop first -o jsonpath={.spec.pieces}')).toBe('3');
    await expect(k('get configmap -n shop new')).rejects.toThrow('not found');
    // Objects that were made again have another uid and time.
    const steady = (text: string) =>
      text.split('\n').filter((line) => !/"(uid|creationTimestamp|lastTransitionTime|time)"/.test(line));
    expect(steady(await objects())).toEqual(steady(before));
    expect((await preview(SECOND)).plan).toEqual([]);
  });

  test('returns to the former objects if the new ones do not work in time', async () => {
    const before = await objects();
    const failed = await fail(
      { shop: { content: SPACE + KIND + configMap('settings', 'black') + configMap('new', 'white') + DEPLOYMENT, values: {} } },
      { wait: '5 s' },
    );
    expect([failed.status, failed.left]).toEqual(['rolled-back', []]);
    expect(failed.error?.why).toMatch(/not ready after 5 s: Deployment shop\/web: its controller has not begun/);
    expect(await objects()).toBe(before);
    expect((await preview(SECOND)).plan).toEqual([]);
  });

  test.each([
    [
      'a kind that is not there',
      () => text('apiVersion: none.example.org/v1\nkind: Thing\nmetadata: { name: a }\n'),
      /no kind Thing in none\.example\.org\/v1/,
    ],
    ['a namespace that is not there', () => text(configMap('a', 'red', 'nowhere')), /namespace nowhere does not exist/],
    [
      'a namespace that is being deleted',
      () => text(configMap('a', 'red', 'ending')),
      /namespace ending cannot be used: it is being deleted since .* waits for kubernetes/,
    ],
    [
      'a webhook that refuses',
      () => text(`${configMap('fine', 'red')}${configMap('refused', 'red')}`),
      /webhook "names\.example\.org" denied the request: nobody is called so/,
    ],
    ['a field that the kind does not have', () => text(`${configMap('a', 'red').replace('\ndata:', '\ndada:')}`), /dada/],
    ['an object of another unit', () => text(configMap('theirs', 'red')), /belongs to the unit other/],
  ])('%s: one error, and nothing changes', async (_, manifests, error) => {
    if (!(await cp('systemctl is-active test-webhook || true')).startsWith('active')) {
      await cp(WEBHOOK);
      await k('create namespace ending');
      await k('delete namespace ending --wait=false');
      await k(
        'create configmap -n shop theirs && kubectl --kubeconfig /etc/kubernetes/admin.conf label configmap -n shop theirs provisioning/manifests=other',
      );
    }
    const before = await objects();
    const content = Object.values(manifests())[0] as { content: string };
    const failed = await fail({
      shop: { content: SPACE + SECRET + ROLE + KIND + configMap('settings', 'white') + content.content, values },
    });
    expect(failed.status).toBe('rolled-back');
    expect(failed.error?.why).toMatch(error);
    expect(await objects()).toBe(before);
  });

  test('a file is applied if it has its hash, and its faults are named', async () => {
    await cp('mkdir -p /srv/files; systemd-run -q --unit test-files python3 -m http.server -b 127.0.0.1 -d /srv/files 8099');
    const served = async (name: string, content: string) => {
      await cp(`cat >/srv/files/${name} <<'END'\n${content}END`);
      return { url: `http://127.0.0.1:8099/${name}`, sha256: createHash('sha256').update(content).digest('hex') };
    };
    const good = await served('good.yaml', configMap('fetched', 'blue'));
    const result = await preview({ ...SECOND, good });
    expect(applied(result)?.diff?.lines).toContain('+  colour: blue');
    await apply({ ...SECOND, good });
    expect(await k('get configmap -n shop fetched -o jsonpath={.data.colour}')).toBe('blue');
    for (const [name, content, error] of [
      ['broken.yaml', 'a: b: c\n', /broken cannot be read as Kubernetes manifests: .*mapping values/],
      ['nameless.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n', /nameless: object 1 has no metadata\.name/],
      ['kindless.yaml', 'apiVersion: v1\nmetadata: { name: a }\n', /kindless .*Kind/],
    ] as const) {
      const failed = await fail({ ...SECOND, [name.split('.')[0] as string]: await served(name, content) });
      expect([failed.status, failed.error?.why]).toEqual(['rolled-back', expect.stringMatching(error)]);
    }
    const changed = await fail({ ...SECOND, changed: { ...good, sha256: '0'.repeat(64) } });
    expect(changed.error?.why).toMatch(/SHA-256|hash/i);
    expect(await k('get configmap -n shop fetched -o jsonpath={.data.colour}')).toBe('blue');
  });

  test.skipIf(whyNoHelm)('a chart is rendered by Helm for the cluster, with its values', async () => {
    const [id] = await containersOf(INFRA, 'cp');
    const helm = findKubernetes('1.36', HELM_NEEDS)?.program('helm');
    await promisify(execFile)('docker', ['cp', String(helm), `${id}:/srv/files/helm`]);
    await cp(CHART);
    const served = async (name: string) => ({
      url: `http://127.0.0.1:8099/${name}`,
      sha256: (await cp(`sha256sum /srv/files/${name}`)).slice(0, 64),
    });
    const chart = await served('web-1.0.0.tgz');
    const more = { namespace: 'shop', helm: await served('helm') };
    const web = (change = {}) => ({
      ...SECOND,
      web: { chart: { ...chart, ...change }, chartValues: 'colour: @COLOUR@\n', values: { COLOUR: 'it is "green"' } },
    });
    await apply(web(), more);
    expect(JSON.parse(await k('get configmap -n shop web-page -o jsonpath={.data}'))).toEqual({
      colour: 'it is "green"',
      minor: '36',
      policy: 'true',
    });
    expect(await k('get configmap -n shop -o name')).not.toContain('goodbye');
    expect((await preview(web(), more)).plan).toEqual([]);
    const changed = await fail(web({ sha256: '0'.repeat(64) }), more);
    expect(changed.error?.why).toMatch(/SHA-256|hash/i);
    const broken = await fail({ ...web(), web: { chart: await served('broken-1.0.0.tgz') } }, more);
    expect([broken.status, broken.error?.why]).toEqual([
      'rolled-back',
      expect.stringMatching(/helm cannot render the chart of web: .*no page here/),
    ]);
    expect(await k('get configmap -n shop web-page -o jsonpath={.data.minor}')).toBe('36');
  });

  test('its removal deletes the objects, and keeps a namespace with objects of others', async () => {
    const shown = await preview();
    expect(applied(shown)?.attributes).toContain('Namespace shop stays: it has other objects, such as ConfigMap shop/theirs');
    await apply();
    expect(await objects()).not.toContain('"name"');
    expect(await k('get namespace shop -o jsonpath={.status.phase}')).toBe('Active');
    await expect(k('get crd orders.shop.example.org')).rejects.toThrow('not found');
    expect(await cp('ls /var/lib/provisioning-manifests/shop 2>/dev/null | wc -l')).toBe('0');
  });
});
