import type { Proof, Proofs } from '../proof.js';

/** The answer of a resolver on this host, in hexadecimal digits; the question is one for the address of `db.internal`. */
const ASKS_FOR_DB = `exec 3<>/dev/udp/127.0.0.1/53
printf '\\x70\\x72\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x02db\\x08internal\\x00\\x00\\x01\\x00\\x01' >&3
answer=$(timeout 5 dd bs=512 count=1 status=none <&3 | od -An -v -tx1 | tr -d ' \\n')`;

const resolver = (): Proof => ({
  config: { records: [{ name: 'db.internal', address: '10.0.0.5' }] },
  works: `${ASKS_FOR_DB}; [[ $answer == *0a000005 ]]`,
  changed: {
    config: { records: [{ name: 'db.internal', address: '10.0.0.6' }] },
    works: `${ASKS_FOR_DB}; [[ $answer == *0a000006 ]]`,
  },
  units: [],
});

export const networking: Proofs = {
  dnsmasq: { ...resolver(), units: ['dnsmasq'] },
  unbound: { ...resolver(), units: ['unbound'] },
};
