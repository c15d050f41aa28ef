import { setTimeout as sleep } from 'node:timers/promises';
import { execIn } from '../support/hosts.js';
import { closeBridge, openBridge, removeContainer, startAgain, startContainer, stopContainer } from './machine-containers.js';

/** Backend of a stand-in's servers: containers as hosts, or only an address. */
export type Hosts = 'docker' | 'none';

export interface MachineWanted {
  name: string;
  /** User data for cloud-init: `#cloud-config` and JSON. */
  userData?: string;
  hosts?: Hosts;
  /** Address from `freeAddress`. */
  address?: string;
  /** Whether its volumes are attached disks; otherwise they are directories. */
  disks?: boolean;
}

/** Machine of a stand-in. Its address never changes. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly running: boolean;
  /** Boots it, the first time with its user data. Returns after it is switched on, before its SSH server listens. */
  start(): Promise<void>;
  /** Powers it off: immediately, or with seconds to shut down. */
  stop(graceS?: number): Promise<void>;
  remove(): Promise<void>;
  /** Adds an address such as `10.20.0.3/24` on a network that only machines with the same number share. */
  join(network: number, address: string): Promise<void>;
  /** Attaches a disk at this path: the block device 7:MINOR. */
  plug(path: string, minor: number): Promise<void>;
  /** Detaches the disk. Throws if it is mounted. */
  unplug(path: string): Promise<void>;
  /** Runs a script as root directly, without a login, and returns its output. */
  shell(script: string): Promise<string>;
}

let count = 0;
let numbers = 10;

/** Reserves an address for a future machine. */
export async function freeAddress(hosts: Hosts = 'docker'): Promise<string> {
  const next = count++;
  // Addresses for benchmarks (RFC 2544), which no machine uses.
  if (hosts === 'none') return `198.19.${Math.floor(next / 250) % 256}.${(next % 250) + 2}`;
  const { prefix } = await openBridge();
  if (numbers > 250) numbers = 10;
  return `${prefix}.${numbers++}`;
}

/** Creates a machine with its address, without starting it. */
export async function newMachine({
  name,
  userData = '',
  hosts = 'docker',
  address: given,
  disks,
}: MachineWanted): Promise<Machine> {
  const address = given ?? (await freeAddress(hosts));
  const joined = new Map<number, string>();
  const plugged = new Map<string, number>();
  let id: string | undefined;
  let running = false;
  /** Start, stop and removal run one after the other, in the order of their requests. */
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  const there = () => {
    if (!id) throw new Error(`the machine ${name} is not there`);
    return id;
  };
  let removed = false;

  return {
    name,
    address,
    get running() {
      return running;
    },
    start: () =>
      inTurn(async () => {
        if (running || removed) return;
        if (hosts === 'docker') {
          if (id) await startAgain(id);
          else id = await startContainer((await openBridge()).id, address, name, userData, disks);
          for (const [path, minor] of plugged) await addDisk(id, path, minor);
          for (const [number, own] of joined) await addAddress(id, number, own);
        }
        running = true;
      }),
    stop: (graceS = 0) =>
      inTurn(async () => {
        if (running && id) await stopContainer(id, graceS);
        running = false;
      }),
    remove: () =>
      inTurn(async () => {
        removed = true;
        running = false;
        if (id) await removeContainer(id);
        id = undefined;
      }),
    join: (number, own) =>
      inTurn(async () => {
        joined.set(number, own);
        if (running && id) await addAddress(id, number, own);
      }),
    plug: (path, minor) =>
      inTurn(async () => {
        plugged.set(path, minor);
        if (running && id) await addDisk(id, path, minor);
      }),
    unplug: (path) =>
      inTurn(async () => {
        plugged.delete(path);
        if (running && id)
          await execIn(
            id,
            `d=$(readlink -f ${path}); ! findmnt -S "$d" >/dev/null || { echo "$d is mounted" >&2; exit 1; }; rm -f ${path} "$d"`,
          );
      }),
    shell: (script) => execIn(there(), script),
  };
}

/**
 * Adds an address on a VXLAN with this number, on the bridge that all machines of this process share. The hardware
 * address is derived from the IP address, so that neighbors need not learn it again after a stop.
 */
async function addAddress(id: string, number: number, address: string): Promise<void> {
  const own = `priv${number}`;
  const hardware = (address.split('/')[0] ?? '').split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const group = `239.1.${number >> 8}.${number & 255}`;
  const add = `ip link add ${own} address 02:42:${hardware.join(':')} type vxlan id ${number} group ${group} dev eth0 dstport 4789`;
  await execIn(id, `ip link show ${own} >/dev/null 2>&1 || ${add}; ip addr replace ${address} dev ${own}; ip link set ${own} up`);
}

/** Creates the name of a block device, like udev. */
async function addDisk(id: string, path: string, minor: number): Promise<void> {
  const device = `/dev/loop${minor}`;
  await execIn(
    id,
    `[ -b ${device} ] || mknod ${device} b 7 ${minor}; mkdir -p ${path.replace(/[^/]*$/, '')}; ln -sfn ${device} ${path}`,
  );
}

/** Creates a machine and switches it on. */
export async function startMachine(wanted: MachineWanted): Promise<Machine> {
  const machine = await newMachine(wanted);
  await machine.start();
  return machine;
}

/** Waits until the machine's boot has ended, as on a real cloud. */
export async function booted(machine: Machine, withinMs = 30_000): Promise<void> {
  for (const until = Date.now() + withinMs; ; await sleep(200)) {
    const said = await machine.shell('cloud-init status || true').catch(String);
    if (/done|error/.test(said)) return;
    if (Date.now() > until) throw new Error(`${machine.name} has not booted within ${withinMs} ms: ${said}`);
  }
}

/** Removes all machines of this process. Those of a crashed process are removed when the next one opens its first. */
export const closeMachines = (): Promise<void> => closeBridge();
