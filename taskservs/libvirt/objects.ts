import { type CommandOutput, fact, type Step, sh } from '../../sdk/index.js';

/** A storage pool or a network, as it is wanted: its folder, or the bridge that it joins. */
export interface WantedObject {
  kind: 'pool' | 'net';
  name: string;
  value: string;
  /** The definition says nothing of it: one that is there stays as it is. */
  stays?: true;
}

/** State of an object: its folder or bridge, whether it is started, and whether it starts with libvirt. */
export interface Present extends WantedObject {
  started: boolean;
  autostart: boolean;
}

const VIRSH = ['virsh', '-q', '-c', 'qemu:///system'];

const KINDS = {
  pool: {
    title: 'storage pool',
    folder: '/etc/libvirt/storage',
    state: '^State: *running',
    value: String.raw`s:.*<path>\(.*\)</path>.*:\1:p`,
  },
  net: {
    title: 'network',
    folder: '/etc/libvirt/qemu/networks',
    state: '^Active: *yes',
    value: String.raw`s:.*<bridge name='\([^']*\)'.*:\1:p`,
  },
};

const isStarted = ({ kind, name }: WantedObject): string =>
  sh`${VIRSH} ${`${kind}-info`} ${name} | grep -c ${KINDS[kind].state} >/dev/null`;

const askValue = ({ kind, name }: WantedObject): string => sh`sed -n ${KINDS[kind].value} ${`${KINDS[kind].folder}/${name}.xml`}`;

/** Asks the files of libvirt, which tell while it is stopped too, and libvirt itself where it runs: being asked would start it. */
export function objectsFact(wanted: readonly WantedObject[]) {
  const asks = wanted.map((one) => {
    const { kind, name } = one;
    const { folder } = KINDS[kind];
    return `${sh`if [ -e ${`${folder}/${name}.xml`} ]; then`}
  started=yes
  if systemctl is-active -q libvirtd; then ${isStarted(one)} || started=no; fi
  ${sh`if [ -e ${`${folder}/autostart/${name}.xml`} ]; then autostart=yes; else autostart=no; fi`}
  ${sh`printf '%s\t%s\t%s\t%s\t%s\n' ${kind} ${name}`} "$(${askValue(one)})" "$started" "$autostart"
fi`;
  });
  return fact<Present[]>([...asks, 'true'].join('\n'), readPresent, []);
}

function readPresent({ stdout }: CommandOutput): Present[] {
  const rows = stdout.split('\n').filter(Boolean);
  return rows.map((row) => {
    const [kind = '', name = '', value = '', started, autostart] = row.split('\t');
    return { kind: kind === 'net' ? 'net' : 'pool', name, value, started: started === 'yes', autostart: autostart === 'yes' };
  });
}

/** The storage pools and networks that are missing, differ, or do not run. None is ever removed. */
export function objectSteps(wanted: readonly WantedObject[], present: readonly Present[]): Step[] {
  return wanted.flatMap((one): Step[] => {
    const found = present.find(({ kind, name }) => kind === one.kind && name === one.name);
    const on = `the ${KINDS[one.kind].title} ${one.name}`;
    if (!found) return [{ title: `Define ${on}`, run: `${define(one)}\n${start(one)}`, undo: forget(one) }];
    if (one.stays) return [];
    if (found.value !== one.value) {
      const again = (what: WantedObject) => `${forget(what)}\n${define(what)}\n${start(what)}`;
      return [{ title: `Define ${on} again`, run: again(one), undo: again({ ...one, value: found.value }) }];
    }
    return found.started && found.autostart ? [] : [{ title: `Start ${on}`, run: start(one), undo: ':' }];
  });
}

function define({ kind, name, value }: WantedObject): string {
  // The object may exist if the step is repeated.
  const unless = sh`${VIRSH} ${`${kind}-info`} ${name} >/dev/null 2>&1 ||`;
  if (kind === 'pool') {
    return `${unless} ${sh`${VIRSH} pool-define-as ${name} dir --target ${value}`}\n${sh`${VIRSH} pool-build ${name}`}`;
  }
  const xml = `<network><name>${name}</name><forward mode='bridge'/><bridge name='${value}'/></network>`;
  return `${unless} ${sh`printf %s ${xml} | ${VIRSH} net-define /dev/stdin`}`;
}

function start(one: WantedObject): string {
  const { kind, name } = one;
  return `${isStarted(one)} || ${sh`${VIRSH} ${`${kind}-start`} ${name}`}\n${sh`${VIRSH} ${`${kind}-autostart`} ${name}`}`;
}

/** Makes libvirt forget a pool. The content of the pool stays. */
function forget({ kind, name }: WantedObject): string {
  return `${sh`${VIRSH} ${`${kind}-destroy`} ${name} 2>/dev/null || :`}
${sh`${VIRSH} ${`${kind}-undefine`} ${name}`}`;
}
