import type { Proofs } from '../proof.js';

/** A disk of one sector: it writes `k` to the serial line, and has the machine end with 33. */
const DISK = `cd /root
{ printf '\\272\\370\\003\\260\\153\\356\\272\\001\\005\\260\\020\\356\\353\\376'; head -c 496 /dev/zero; printf '\\125\\252'; } >boot.raw
qemu-img convert -f raw -O qcow2 boot.raw boot.qcow2`;

export const hypervisors: Proofs = {
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
