import { same } from '../../core/encoding/hash.js';
import { messageOf } from '../../core/errors.js';
import type { OperationResult } from '../../core/operation/operation.js';
import type { Mirror } from '../../core/taskserv/mirrors.js';
import { bridgeAddress } from '../support/bridge-address.js';
import { definitionOf } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { type HostShell, shellOf, sweep } from '../support/hosts.js';
import { modules } from '../support/modules.js';
import { eventually, run } from '../support/operations.js';
import { keepCertificates, keepSecrets } from './keep-certificates.js';
import { type Served, serveFor } from './mirror.js';
import type { Proof } from './proof.js';
import { inZone } from './zone.js';

/** Result of a proof. */
export interface Proven {
  taskserv: string;
  /** Problems, one per line. Empty if the service is proven. */
  wrong: string[];
  /** Version that ran. Empty if none was found, which is a problem. */
  version: string;
  /** Distribution of the host: `debian-12`. */
  distribution: string;
  seconds: number;
}

/** Variables of an engine that proves: keepalived needs raw sockets. */
export const OF_HOSTS: NodeJS.ProcessEnv = { PROVISIONING_PROVIDERS_LOCAL_RAW_SOCKETS: 'true' };

/** The same for services that run containers with all rights. */
export const OF_NESTED_HOSTS: NodeJS.ProcessEnv = { ...OF_HOSTS, PROVISIONING_PROVIDERS_LOCAL_NESTED_CONTAINERS: 'true' };

/** Size of a host that runs containers. */
const NESTED_PLAN = '2cpu-3gb';

const SERVER = 'a';
const OTHER = 'b';
const TIMING = { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200 };

export const DISTRIBUTION = `. /etc/os-release; printf '%s-%s' "$ID" "$VERSION_ID"`;

/** Ports that are reachable from outside, as `tcp 22`, without loopback. */
const OPEN_PORTS = `ss -Hltun | awk '$5 !~ /^(127\\.|\\[::1\\])/ { sub(/.*:/, "", $5); print $1, $5 }' | sort -u`;

/** Address at which a host reaches this machine. */
const GATEWAY = `ip -4 route show default | awk '{ print $3; exit }'`;

/** First ephemeral port of the kernel (`net.ipv4.ip_local_port_range`). */
const FIRST_CHOSEN = 32_768;

/**
 * Proves a service on a new host. After the installation it works, and a second run changes nothing. The same applies
 * to another configuration. After the removal, its units are inactive and its ports closed. At each stage, the open
 * ports are the declared ones.
 *
 * @param image of its host, such as `debian-13`
 */
export async function prove(engine: TestEngine, taskserv: string, proof: Proof, image: string): Promise<Proven> {
  if (!proof.nested) return proveOn(engine, taskserv, proof, image);
  const own = await startTestEngine(OF_NESTED_HOSTS);
  try {
    return await proveOn(own, taskserv, proof, image);
  } finally {
    await own.stop();
  }
}

async function proveOn(engine: TestEngine, taskserv: string, proof: Proof, image: string): Promise<Proven> {
  const started = performance.now();
  const infra = `proof-${process.pid}-${taskserv}`;
  const host = { engine, infra, image };
  const wrong: string[] = [];
  let version = '';
  let distribution = '';
  let served: Served | undefined;
  try {
    served = await proof.serve?.(await bridgeAddress());
    const further = (proof.with ?? []).map((one) => ({ ...one, config: served?.filled(one.config) ?? one.config }));
    const shell = shellOf(infra, SERVER);
    await keepSecrets(engine, infra, proof.secrets);
    await apply(host, proof, further, wrong, served?.mirrors);
    const filled = await besides(infra, proof);
    if (proof.prepare) await shell(proof.prepare);
    const ofRelease = proof.release === undefined ? '' : await shell(proof.release);
    distribution = (await shell(DISTRIBUTION)).trim();
    const before = await openPorts(shell);
    served ??= await serveFor(proof, await shell(GATEWAY));
    for (const [stage, { config: written, version: asked, works, zone }] of Object.entries({
      installed: proof,
      changed: proof.changed,
    })) {
      const config = replaced(filled(served?.filled(written) ?? written), 'RELEASE', ofRelease);
      const entry = { name: taskserv, config, ...(asked !== undefined && { version: asked }) };
      const result = await apply(host, proof, [...further, entry], wrong, served?.mirrors);
      version = result.services.find((one) => one.taskserv === taskserv)?.version ?? '';
      if (version === '') wrong.push(`${stage}: no version of it is found`);
      if (!result.services.some((one) => one.taskserv === taskserv && one.healthy)) wrong.push(`${stage}: it is not healthy`);
      await holds(`${stage}: it does not do its work`, wrong, () => shell(works));
      if (zone && !same(inZone(), zone)) wrong.push(`${stage}: the zone has ${JSON.stringify(inZone())}`);
      const declared = [...portsOf(taskserv, config), ...requiredBy(taskserv).flatMap((name) => portsOf(name, {}))];
      // Checked again for a moment: a DNS client has a temporary port, a different one each time.
      let lasting: string[] | undefined;
      await holds(`${stage}: ports are open that are not declared`, wrong, async () => {
        const undeclared = (await openPorts(shell))
          .filter((port) => !before.includes(port) && !declared.includes(port))
          .filter((port) => !(proof.sendsUdp && isChosen(port)));
        lasting = undeclared.filter((port) => lasting?.includes(port) ?? true);
        if (lasting.length > 0) throw new Error(`${lasting.join(', ')}: ${await holders(shell, lasting)}`);
      });
    }
    await apply(host, proof, further, wrong, proof.serve && served?.mirrors);
    for (const unit of proof.units) await holds(`removed: ${unit} is active`, wrong, () => shell(`! systemctl is-active ${unit}`));
    if (proof.zone && !same(inZone(), {})) wrong.push(`removed: the zone has ${JSON.stringify(inZone())}`);
    const { gone } = proof;
    if (gone) await holds('removed: something is left', wrong, () => shell(gone));
    await holds('removed: ports are open still', wrong, async () => {
      const left = (await openPorts(shell)).filter((port) => !before.includes(port));
      if (left.length > 0) throw new Error(left.join(', '));
    });
  } catch (error) {
    wrong.push(messageOf(error));
  } finally {
    await served?.close();
    await sweep(infra);
  }
  return { taskserv, wrong, version, distribution, seconds: (performance.now() - started) / 1000 };
}

/** Creates the service's dependencies on another server. Returns a function that fills in configurations. */
async function besides(infra: string, { beside }: Proof): Promise<(config: Configuration) => Configuration> {
  if (beside === undefined) return (config) => config;
  const address = await shellOf(infra, SERVER)(`hostname -I | cut -d' ' -f1`);
  const printed = await shellOf(infra, OTHER)(`ADDRESS=${address}\n${beside}`);
  return (config) => replaced(config, 'BESIDE', `${printed}\n`);
}

type Configuration = Record<string, unknown>;

/** Returns a configuration in which a word is replaced. */
const replaced = (config: Configuration, word: string, by: string): Configuration =>
  JSON.parse(JSON.stringify(config), (_, value) => (value === word ? by : value));

/** Applies a definition with these services. A second run must change nothing. */
async function apply(
  { engine, infra, image }: { engine: TestEngine; infra: string; image: string },
  { beside, secrets, nested }: Proof,
  taskservs: readonly { name: string; version?: string; config: Configuration }[],
  wrong: string[],
  mirrors?: Mirror[],
): Promise<OperationResult> {
  const plan = nested && { plan: NESTED_PLAN };
  const servers = [
    { name: SERVER, image, ...plan, taskservs: [...taskservs] },
    ...(beside === undefined ? [] : [{ name: OTHER, image }]),
  ];
  const definition = definitionOf({ infra, provider: 'local', servers, ...(mirrors && { mirrors }) }, Object.keys(secrets ?? {}));
  for (const { config } of taskservs) await keepCertificates(engine, infra, config);
  const wish = { infra, definition, onFailure: 'keep' as const, timing: TIMING };
  const result = await run(engine, wish);
  if (result.status !== 'done') wrong.push(`${result.status}: ${result.error?.step}: ${result.error?.why}`);
  const again = await run(engine, { ...wish, check: true });
  wrong.push(...again.plan.map(({ on, title }) => `left to do on ${on}: ${title}`));
  return result;
}

const openPorts = async (shell: HostShell): Promise<string[]> => (await shell(OPEN_PORTS)).split('\n').filter(Boolean);

/** Returns the programs that use these ports. */
async function holders(shell: HostShell, ports: readonly string[]): Promise<string> {
  const sockets = (await shell('ss -Hltunp')).split('\n');
  const held = sockets.filter((line) => ports.some((port) => line.includes(`:${port.split(' ')[1]} `)));
  return held.map((line) => line.replace(/\s+/g, ' ').trim()).join('; ');
}

/** Returns whether a port is an ephemeral UDP port. */
function isChosen(port: string): boolean {
  const [protocol, number] = port.split(' ');
  return protocol === 'udp' && Number(number) >= FIRST_CHOSEN;
}

/** Returns its required taskservs, with their defaults. */
const requiredBy = (taskserv: string): string[] =>
  (modules.taskservs[taskserv]?.requires ?? []).flatMap((name) => [name, ...requiredBy(name)]);

function portsOf(taskserv: string, written: unknown): string[] {
  const module = modules.taskservs[taskserv];
  const { success, data } = module?.config.safeParse(withoutSecrets(written)) ?? { success: false };
  const endpoints = (success && module?.endpoints?.(data)) || [];
  return endpoints.filter(({ local }) => !local).map(({ port, protocol = 'tcp' }) => `${protocol} ${port}`);
}

/** Replaces secrets of a definition with references. */
const withoutSecrets = (written: unknown): unknown =>
  JSON.parse(JSON.stringify(written), (_, value) =>
    typeof value === 'object' && value !== null && ('generate' in value || 'secret' in value) ? { $secret: 'proof' } : value,
  );

/**
 * Checks a condition that must become true within a moment: a reloading service answers with its former state until it
 * is done.
 */
async function holds(otherwise: string, wrong: string[], check: () => Promise<unknown>): Promise<void> {
  await eventually(check, 10_000).catch((error: Error) => wrong.push(`${otherwise}: ${error.message}`));
}
