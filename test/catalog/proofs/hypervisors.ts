import type { Proofs } from '../proof.js';

/** Disk with one sector: it writes `k` to the serial line and ends the machine with 33. */
const DISK = `cd /root
{ printf '\\272\\370\\003\\260\\153\\356\\272\\001\\005\\260\\020\\356\\353\\376'; head -c 496 /dev/zero; printf '\\125\\252'; } >boot.raw
qemu-img convert -f raw -O qcow2 boot.raw boot.qcow2`;

const machine = (disk: string): string => `<domain type="qemu"><name>proof</name><memory unit="MiB">32</memory><vcpu>1</vcpu>
<os><type arch="x86_64" machine="pc">hvm</type></os><devices>
<disk type="file"><driver name="qemu" type="qcow2"/><source file="${disk}"/><target dev="hda"/></disk>
<serial type="file"><source path="/var/lib/libvirt/serial"/></serial></devices></domain>`;

export const hypervisors: Proofs = {
  libvirt: {
    config: { deviceNamespaces: false },
    works: `${DISK}
install -m 0666 boot.qcow2 /var/lib/libvirt/images/boot.qcow2
virsh pool-refresh default; virsh vol-list default | grep -c boot.qcow2
virsh destroy proof || :
echo '${machine('/var/lib/libvirt/images/boot.qcow2')}' | virsh define /dev/stdin
virsh start proof
for _ in $(seq 50); do grep -c k /var/lib/libvirt/serial && exit; sleep 0.1; done; exit 1`,
    changed: {
      config: {
        deviceNamespaces: false,
        pools: [{ name: 'default', path: '/srv/disks' }],
        networks: [{ name: 'lan', bridge: 'br7' }],
      },
      works: `virsh list --name | grep -cx proof
virsh vol-create-as default disk 8M --format qcow2; [ -s /srv/disks/disk ]; virsh vol-delete disk default
virsh net-dumpxml lan | grep -c br7; virsh net-list --name | grep -cx lan
virsh destroy proof`,
    },
    units: ['libvirtd', 'libvirtd.socket', 'virtlogd', 'virtlogd.socket', 'virtlockd.socket'],
  },
  qemu: {
    config: {},
    works: `${DISK}
code=0; timeout 30 qemu-system-x86_64 -accel tcg -m 32 -display none -net none -serial file:serial \\
  -device isa-debug-exit -drive file=boot.qcow2,format=qcow2 </dev/null || code=$?
[ "$code $(cat serial)" = '33 k' ]`,
    changed: {
      config: { bridges: ['br7'] },
      works: `joins() { /usr/lib/qemu/qemu-bridge-helper --br="$1" --fd=3 2>&1 || :; }
joins br8 | grep -c 'access denied by acl'; ! joins br7 | grep 'access denied by acl'`,
    },
    units: [],
    gone: '[ ! -e /usr/bin/qemu-system-x86_64 ]',
  },
};
