import type { Proofs } from '../proof.js';
import { NAME_SERVER, TSIG } from './name-server.js';

const common = { server: 'b:53', zone: 'example.org', key: 'acme', tsigSecret: { secret: 'tsig' }, owner: 'proof' };

const atCloud = { provider: 'hetzner', zone: 'example.org', owner: 'proof' };
const WITHOUT_TOKEN = '[ -z "$(grep -rlsF stand-in-of-hetzner-cloud /etc /root /run /usr/local /var/lib)" ]';
const MARK = ['"heritage=provisioning,owner=proof,server=a"'];

/** Names at a name server, and at a cloud. */
export const names: Proofs = {
  'cloud-dns': {
    config: {
      ...atCloud,
      records: [
        { name: 'web.example.org', addresses: ['203.0.113.5'] },
        { name: 'api.example.org', addresses: ['203.0.113.7', '2001:db8::7'] },
      ],
    },
    // The cloud's token is not copied to the host.
    works: WITHOUT_TOKEN,
    zone: {
      '_provisioning.web TXT': MARK,
      'web A': ['203.0.113.5'],
      '_provisioning.api TXT': MARK,
      'api A': ['203.0.113.7'],
      'api AAAA': ['2001:db8::7'],
    },
    changed: {
      config: { ...atCloud, records: [{ name: 'web.example.org', addresses: ['203.0.113.8'], ttl: '1 h' }] },
      works: WITHOUT_TOKEN,
      zone: { '_provisioning.web TXT': MARK, 'web A': ['203.0.113.8'] },
    },
    units: [],
  },
  'dns-records': {
    beside: `{ apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bind9; } >/dev/null 2>&1
${NAME_SERVER}`,
    secrets: { tsig: TSIG },
    config: {
      ...common,
      records: [{ name: 'web.example.org' }, { name: 'api.example.org', addresses: ['192.0.2.7', '2001:db8::7'] }],
    },
    // The name server also rejects changes to records of other owners.
    works: `own=$(getent ahostsv4 "$(hostname)" | awk 'NR == 1 { print $1 }')
[ "$(dig +short @b web.example.org A)" = "$own" ]
[ "$(dig +short @b api.example.org AAAA)" = 2001:db8::7 ]
[ "$(dig +short @b _provisioning.api.example.org TXT)" = '"heritage=provisioning,owner=proof"' ]
if provisioning-dns set shop.example.org 60 192.0.2.9 2>/tmp/why; then exit 1; fi
grep 'cannot set the records of shop.example.org: the name has records that are not ours' /tmp/why
provisioning-dns remove shop.example.org
[ "$(dig +short @b shop.example.org A)" = "$own" ]
if runuser -u nobody -- cat /etc/dns-records/key; then exit 1; fi`,
    changed: {
      config: { ...common, records: [{ name: 'web.example.org', addresses: ['192.0.2.8'], ttl: '1 h' }] },
      works: `[ "$(dig +noall +answer @b web.example.org A | awk '{ print $2, $5 }')" = '3600 192.0.2.8' ]
[ -z "$(dig +short @b api.example.org A api.example.org AAAA _provisioning.api.example.org TXT)" ]
[ -n "$(dig +short @b shop.example.org A)" ]`,
    },
    units: [],
    gone: '[ ! -e /etc/dns-records/key ] && [ -z "$(ls /var/lib/dns-records)" ]',
  },
};
