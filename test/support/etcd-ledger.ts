import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { shellOf } from './hosts.js';

const docker = new Docker();

/** Milliseconds. A write without an answer until then is one of which nothing is known. */
const PATIENCE_MS = 3_000;
/** Milliseconds between two writes. */
const PACE_MS = 40;
/** Milliseconds between two looks at who is there. */
const LOOK_MS = 2_000;

interface Credentials {
  certificate: string;
  key: string;
  authority: string;
}

/** What a client was told. */
export interface LedgerReport {
  /** Numbers of the writes that were acknowledged, in their order. */
  acknowledged: number[];
  /** Writes without an acknowledgement: they may have happened. */
  open: number;
  /** Longest time between two acknowledgements, or from the last one to the end, in milliseconds. */
  longestGapMs: number;
  /** Writes whose revision was not above that of the write before. */
  backwards: number;
}

/** Returns the addresses of all members' machines in an infra. */
async function findAddresses(infra: string): Promise<string[]> {
  const filters = { label: [`provisioning.infra=${infra}`, 'provisioning.kind=server'], status: ['running'] };
  const found = await docker.listContainers({ filters });
  return found.flatMap(({ NetworkSettings }) =>
    Object.values(NetworkSettings.Networks).flatMap(({ IPAddress }) => (IPAddress ? [IPAddress] : [])),
  );
}

/** Reads what a client of the cluster needs from the first member that has it. */
async function findCredentials(infra: string, servers: readonly string[]): Promise<Credentials | undefined> {
  for (const server of servers) {
    const read = (part: string) => shellOf(infra, server)(`cat /etc/etcd/${part}.pem`);
    try {
      const [certificate, key, authority] = await Promise.all([read('certificate'), read('key'), read('authority')]);
      return { certificate, key, authority };
    } catch {
      // It is not there, or not yet.
    }
  }
  return undefined;
}

const encode = (text: string) => Buffer.from(text).toString('base64');

/** Writes once. Returns the revision of the acknowledgement. */
function put(agent: Agent, address: string, [key, value]: [string, string]): Promise<number> {
  const body = JSON.stringify({ key: encode(key), value: encode(value) });
  return new Promise((resolve, reject) => {
    const asked = request(
      { agent, host: address, port: 2379, path: '/v3/kv/put', method: 'POST', signal: AbortSignal.timeout(PATIENCE_MS) },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const said = Buffer.concat(parts).toString();
          const revision = Number(/"revision":"(\d+)"/.exec(said)?.[1]);
          if (answer.statusCode === 200 && revision > 0) resolve(revision);
          else reject(new Error(`${answer.statusCode}: ${said.slice(0, 200)}`));
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/**
 * A client of an etcd cluster on hosts of this machine that writes all the time, and keeps a ledger of what was
 * acknowledged. It goes to the next member after a failure.
 */
export class EtcdLedger {
  /** Reasons of failed writes, with counts. */
  readonly failed: Record<string, number> = {};
  readonly #report: LedgerReport = { acknowledged: [], open: 0, longestGapMs: 0, backwards: 0 };
  readonly #ended: Promise<void>;
  #stopped = false;

  /**
   * Starts to write.
   *
   * @param prefix of its keys; another ledger has another one
   * @param servers that may be members
   */
  constructor(
    private readonly infra: string,
    private readonly prefix: string,
    private readonly servers: readonly string[],
  ) {
    this.#ended = this.#write();
  }

  /** Number of acknowledged writes until now. */
  get count(): number {
    return this.#report.acknowledged.length;
  }

  /** Stops to write, and returns what was acknowledged. */
  async stop(): Promise<LedgerReport> {
    this.#stopped = true;
    await this.#ended;
    return this.#report;
  }

  /**
   * Returns the acknowledged writes that a member does not have.
   *
   * @param read runs etcdctl on the member
   */
  async missingOn(read: (words: string) => Promise<string>): Promise<number[]> {
    const has = new Set((await read(`get --prefix ${this.prefix}/ --print-value-only`)).split('\n'));
    return this.#report.acknowledged.filter((number) => !has.has(`${number}`));
  }

  async #write(): Promise<void> {
    let [agent, addresses, looked]: [Agent | undefined, string[], number] = [undefined, [], 0];
    let [at, last, revision] = [0, 0, 0];
    for (let number = 1; !this.#stopped; number += 1) {
      if (Date.now() - looked > LOOK_MS || addresses.length === 0) {
        const seen = await findAddresses(this.infra).catch(() => addresses);
        [addresses, looked] = [seen, Date.now()];
        if (!agent) agent = await this.#enter();
      }
      const address = addresses[at % Math.max(addresses.length, 1)];
      if (!agent || address === undefined) {
        await sleep(200);
        continue;
      }
      try {
        const said = await put(agent, address, [`${this.prefix}/${number}`, `${number}`]);
        if (said <= revision) this.#report.backwards += 1;
        revision = said;
        const now = Date.now();
        if (last > 0) this.#report.longestGapMs = Math.max(this.#report.longestGapMs, now - last);
        last = now;
        this.#report.acknowledged.push(number);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const why = code ?? message;
        this.failed[why] = (this.failed[why] ?? 0) + 1;
        this.#report.open += 1;
        at += 1;
      }
      await sleep(PACE_MS);
    }
    if (last > 0) this.#report.longestGapMs = Math.max(this.#report.longestGapMs, Date.now() - last);
    agent?.destroy();
  }

  async #enter(): Promise<Agent | undefined> {
    const found = await findCredentials(this.infra, this.servers);
    if (!found) return undefined;
    const { certificate, key, authority } = found;
    // It asks by address; whose name the certificate has is another matter.
    return new Agent({ keepAlive: true, cert: certificate, key, ca: authority, checkServerIdentity: () => undefined });
  }
}
