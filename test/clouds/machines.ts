import { setTimeout as sleep } from 'node:timers/promises';
import { execIn } from '../support/hosts.js';
import { closeBridge, openBridge, removeContainer, startAgain, startContainer, stopContainer } from './machine-containers.js';

/** What stands behind a server of a stand-in: containers that are hosts, or nothing but an address. */
export type Hosts = 'docker' | 'none';

export interface MachineWanted {
  name: string;
  /** What cloud-init would be given: `#cloud-config` and JSON. */
  userData?: string;
  hosts?: Hosts;
  /** One that `freeAddress` gave before. */
  address?: string;
  /** Its volumes are disks that are plugged in; otherwise directories. */
  disks?: boolean;
}

/** A machine of a stand-in. Its address is the same for all its life. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly running: boolean;
  /** Boots it; the first time with its user data. Answers when it has been switched on, before its SSH server listens. */
  start(): Promise<void>;
  /** Powers it off: at once, unless it is given seconds to shut down. */
  stop(graceS?: number): Promise<void>;
  remove(): Promise<void>;
  /** Gives it an address such as `10.20.0.3/24` on a network that only machines with the same number see. */
  join(network: number, address: string): Promise<void>;
  /** Gives it a disk at this path: the block device 7:MINOR. */
  plug(path: string, minor: number): Promise<void>;
  /** Takes the disk away. Throws where it is mounted. */
  unplug(path: string): Promise<void>;
  /** Runs a script as root, by nobody's leave; answers what it prints. */
  shell(script: string): Promise<string>;
}

let count = 0;
let numbers = 10;

/** An address for a machine that is not there yet; no other gets it. */
export async function freeAddress(hosts: Hosts = 'docker'): Promise<string> {
  const next = count++;
  // Addresses for benchmarks: nobody's, anywhere.
  if (hosts === 'none') return `198.19.${Math.floor(next / 250) % 256}.${(next % 250) + 2}`;
  const { prefix } = await openBridge();
  if (numbers > 250) numbers = 10;
  return `${prefix}.${numbers++}`;
}

/** A machine that has its address, and is not started yet. */
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
  /** Start, stop and removal one after the other, in the order in which they were asked for. */
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
 * The number becomes a VXLAN on the bridge that all machines of this process share.
 * The hardware address follows from the other, so that neighbours need not learn it again after a stop.
 */
async function addAddress(id: string, number: number, address: string): Promise<void> {
  const own = `priv${number}`;
  const hardware = (address.split('/')[0] ?? '').split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const group = `239.1.${number >> 8}.${number & 255}`;
  const add = `ip link add ${own} address 02:42:${hardware.join(':')} type vxlan id ${number} group ${group} dev eth0 dstport 4789`;
  await execIn(id, `ip link show ${own} >/dev/null 2>&1 || ${add}; ip addr replace ${address} dev ${own}; ip link set ${own} up`);
}

/** The name of a block device that is there whenever it is, as udev makes it. */
async function addDisk(id: string, path: string, minor: number): Promise<void> {
  const device = `/dev/loop${minor}`;
  await execIn(
    id,
    `[ -b ${device} ] || mknod ${device} b 7 ${minor}; mkdir -p ${path.replace(/[^/]*$/, '')}; ln -sfn ${device} ${path}`,
  );
}

/** A machine that is switched on. */
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

/** Removes all machines of this process. A crashed one's go when the next one opens its first. */
export const closeMachines = (): Promise<void> => closeBridge();
