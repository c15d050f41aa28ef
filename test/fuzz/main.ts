/**
 * Sends right and wrong requests to every operation of a real API server, streams aside (docs/operate/api-server.md). It needs
 * python3 with venv, and the package registries of pip and npm at its first run.
 *
 *   npm run api-fuzz [-- --examples N] [--seed N] [--only METHOD,METHOD] [--reports FOLDER]
 *
 * It fails if the OpenAPI document breaks a rule of Redocly, if an answer breaks a check, if a status is 500 or above, and if
 * an operation never succeeds, except for those that need hosts if there is no Docker.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { PREFIX } from '../../api/rest.js';
import type { AnyMethod } from '../../app/method.js';
import type { MethodPlace } from '../../app/method-place.js';
import { PLACES } from '../../app/method-places.generated.js';
import { METHODS } from '../../app/methods.generated.js';
import { connectServer } from '../../client/http/connect-server.js';
import { redeemCode } from '../../client/http/redeem-code.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { sweep, whyNoHosts } from '../support/hosts.js';
import { lintDocument } from './lint-document.js';
import { installSchemathesis, runSchemathesis } from './schemathesis.js';
import { SHARES, takeTour } from './tour.js';
import { INFRA } from './tour-of-hosts.js';

const { values } = parseArgs({
  options: {
    examples: { type: 'string', default: '15' },
    seed: { type: 'string', default: '7' },
    only: { type: 'string' },
    reports: { type: 'string' },
  },
});

/** Methods that succeed only with hosts, which Docker makes. Without it they are reached, too, and other tests show them. */
const NEED_HOSTS: ReadonlySet<string> = new Set([
  'applications.releases',
  'applications.rollback',
  'infras.revealOutput',
  'servers.login',
  'servers.signLogin',
]);
/** Methods that may change the own account or all workspaces, so they come last. */
const LAST: ReadonlySet<string> = new Set([
  'audit.erase',
  'freezes.create',
  'serviceAccounts.delete',
  'serviceAccounts.unbind',
  'tokens.revoke',
  'workspaces.export',
  'workspaces.import',
]);
/** A run has more requests than a minute allows, and sends bad tokens on purpose. */
const LIMITS = {
  PROVISIONING_API_FAILED_SIGN_INS: '1000000',
  PROVISIONING_API_REQUESTS_PER_ACCOUNT: '10000000',
  PROVISIONING_API_REQUESTS_PER_ADDRESS: '10000000',
};
/** Without these there is no fleet to ask about. */
const FLEET = {
  PROVISIONING_DEPLOYMENT: 'tour-workers',
  PROVISIONING_TASK_QUEUE: 'tour',
  PROVISIONING_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
};

const labelOf = (name: string) => {
  const { verb, path } = PLACES[name] as MethodPlace;
  return `${verb} ${PREFIX}${path}`;
};
const methods: Readonly<Record<string, AnyMethod>> = METHODS;
const asked = values.only?.split(',');
const names = Object.keys(methods).filter((name) => methods[name]?.kind !== 'stream' && (asked?.includes(name) ?? true));

const program = await installSchemathesis();
const place = await mkdtemp(join(tmpdir(), 'api-fuzz-'));
const whyNot = await whyNoHosts();

/** Starts an API server of an engine, and makes a token of its first administrator. */
async function serve({ env }: TestEngine) {
  const cli = resolve(import.meta.dirname, '../../bin/provisioning.js');
  const up = await execa(process.execPath, [cli, 'up', '--api', '--listen', '127.0.0.1:0', '--json'], { env });
  const { url, code, authority } = JSON.parse(up.stdout).api as { url: string; code: string; authority: string };
  const ca = await readFile(authority, 'utf8');
  return { url, ca, authority, token: await redeemCode({ url, ca }, code) };
}

/** Calls the method that a fleet refuses, because its keys come from the environment, at a home with keys of its own. */
async function rotateAtHome(): Promise<void> {
  const home = await startTestEngine(LIMITS);
  try {
    const client = connectServer(await serve(home));
    await client.encryption.rotate({}).finally(() => client.close());
  } finally {
    await home.stop();
  }
}

const engine = await startTestEngine({ ...LIMITS, ...FLEET });
try {
  const { url, ca, authority, token } = await serve(engine);
  const workspace = join(place, 'workspace');
  await mkdir(workspace);
  await writeFile(join(workspace, 'provisioning.yaml'), 'name: tour\n');
  const client = connectServer({ url, token, ca });
  const { answered, failed } = await takeTour(client, { engine, folder: workspace, hosts: whyNot === undefined }).finally(() =>
    client.close(),
  );
  await rotateAtHome().then(
    () => answered.add('encryption.rotate'),
    (error: unknown) => console.log(`a home of its own: ${error}`),
  );
  console.log(`tour: ${answered.size} methods answered`);
  for (const [method, why] of failed) console.log(`  ${method}: ${why}`);

  const document = join(place, 'openapi.json');
  await writeFile(document, (await execa('curl', ['-sS', '--cacert', authority, `${url}/openapi.json`])).stdout);
  const options = { url, token, caFile: authority, document, examples: Number(values.examples), seed: Number(values.seed) };
  const since = performance.now();
  const succeeded = new Set([...answered].map(labelOf));
  const faults = (await lintDocument(document)).map((problem) => `the document: ${problem}`);
  console.log(`Redocly: ${faults.length} problems in the document`);
  let requests = 0;
  for (const [index, part] of [names.filter((name) => !LAST.has(name)), names.filter((name) => LAST.has(name))].entries()) {
    if (part.length === 0) continue;
    const run = await runSchemathesis(program, { ...options, methods: part, folder: join(values.reports ?? place, String(index)) });
    requests += run.requests;
    faults.push(...run.failures);
    for (const [label, counts] of run.statuses)
      for (const status of counts.keys()) {
        if (status < 300) succeeded.add(label);
        if (status >= 500 && status !== 503) faults.push(`${label}: status ${status}`);
      }
  }
  const without = names.filter((name) => !succeeded.has(labelOf(name)));
  for (const name of without) {
    if (whyNot === undefined || !NEED_HOSTS.has(name)) faults.push(`${name} never succeeded`);
    else console.log(`never succeeded: ${name}: ${whyNot}`);
  }
  console.log(
    `${names.length} operations, ${names.length - without.length} of them with a success, ${requests} requests in ${Math.round((performance.now() - since) / 1_000)} s`,
  );
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(`${faults.length} faults`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await engine.stop();
  if (whyNot === undefined) for (const infra of [INFRA, SHARES]) await sweep(infra);
  await rm(place, { recursive: true, force: true });
}
