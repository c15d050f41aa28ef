import { debianVersions, fact, inputError, packageService, type Step, secretAs, sh, type Text, text } from '../../sdk/index.js';
import { type DnsRecord, type DnsRecordsConfig, dnsRecordsConfig } from './dns-records-config.js';
import { dnsScript, KEY, KNOWN, markOf, ownerText, SCRIPT, serverOf } from './dns-script.js';

/** Facts of a name server and of the host. */
interface Inside {
  /** The address by which the host reaches others; absent where it has none. */
  own?: string;
  /** Names that were set from this host. */
  known: string[];
  /** Answers of the name server. */
  answers: { name: string; ttl: number; type: string; value: string }[];
}

const keyFile = ({ key, algorithm, tsigSecret }: DnsRecordsConfig): Text =>
  text`key "${key}" { algorithm ${algorithm}; secret "${secretAs('base64', tsigSecret)}"; };\n`;

const insideFact = (config: DnsRecordsConfig) => {
  const { host, port } = serverOf(config);
  const questions = config.records.flatMap(({ name }) => [name, 'A', name, 'AAAA', name, 'CNAME', markOf(name), 'TXT']);
  return fact<Inside>(
    `ip -o route get 192.0.2.1 2>/dev/null | sed -n 's/.* src \\([0-9.]*\\).*/own \\1/p'
ls -1 ${KNOWN} 2>/dev/null | sed 's/^/known /'
if command -v dig >/dev/null; then ${sh`dig +noall +answer +time=3 +tries=2 -p ${port} ${`@${host}`} ${questions}`} | grep -v '^;'; fi
true`,
    ({ stdout }) => insideOf(stdout.split('\n')),
    { known: [], answers: [] },
  );
};

function insideOf(lines: readonly string[]): Inside {
  const own = lines.find((line) => line.startsWith('own '))?.slice(4);
  const known = lines.filter((line) => line.startsWith('known ')).map((line) => line.slice(6));
  const answers = lines.flatMap((line) => {
    const [, name, ttl, type, value] = /^(\S+)\.\s+(\d+)\s+IN\s+(\S+)\s+(.+)$/.exec(line) ?? [];
    return name && ttl && type && value ? [{ name: name.toLowerCase(), ttl: Number(ttl), type, value }] : [];
  });
  return { ...(own && { own }), known, answers };
}

const setIt = (name: string, ttl: number, addresses: readonly string[]): string =>
  sh`${SCRIPT} set ${name} ${ttl} ${[...addresses]}`;

/** Addresses and owner of a name. */
function foundOf(config: DnsRecordsConfig, { answers }: Inside, name: string) {
  const there = answers.filter((one) => one.name === name && ['A', 'AAAA', 'CNAME'].includes(one.type));
  const mark = answers.find((one) => one.name === markOf(name) && one.type === 'TXT');
  const ours = mark?.value === `"${ownerText(config)}"`;
  return { ttl: there[0]?.ttl, addresses: there.map(({ value }) => value).sort(), ours, foreign: !ours && (mark ?? there[0]) };
}

function recordStep(config: DnsRecordsConfig, inside: Inside, { name, addresses, ttl }: DnsRecord): Step[] {
  const found = foundOf(config, inside, name);
  if (found.foreign) {
    throw inputError({
      code: 'dns-foreign',
      what: 'set the records of a name',
      on: name,
      why: `records exist that the platform did not create: ${found.foreign.type} ${found.foreign.value}`,
      hint: `remove them, or set the TXT record ${markOf(name)} to "${ownerText(config)}"`,
    });
  }
  const wanted = addresses ? [...addresses].sort() : inside.own ? [inside.own] : [];
  if (found.ours && found.ttl === ttl && found.addresses.join() === wanted.join()) return [];
  // The address of a host that does not exist yet is found out there.
  const run = wanted.length > 0 ? setIt(name, ttl, wanted) : setOwn(name, ttl);
  const undo = found.ours ? setIt(name, found.ttl ?? ttl, found.addresses) : sh`${SCRIPT} remove ${name}`;
  return [{ title: `Set the records of ${name}${wanted.length > 0 ? ` to ${wanted.join(', ')}` : ''}`, run, undo }];
}

/** Sets the first address of the host. On its own line, since an argument's failure does not end a script. */
const setOwn = (name: string, ttl: number): string =>
  `address=$(hostname -I | cut -d' ' -f1)\n${sh`${SCRIPT} set ${name} ${ttl}`} "$address"`;

function removeStep(config: DnsRecordsConfig, inside: Inside, name: string): Step {
  const { ttl, addresses } = foundOf(config, inside, name);
  const undo = ttl !== undefined && addresses.length > 0 ? setIt(name, ttl, addresses) : ':';
  return { title: `Remove the records of ${name}`, run: sh`${SCRIPT} remove ${name}`, undo };
}

const base = packageService<DnsRecordsConfig>({
  name: 'dns-records',
  category: 'networking',
  holds: [],
  description: 'Sets addresses of names at a name server, and never changes records of other owners.',
  versions: debianVersions({ 12: '9.18', 13: '9.20' }),
  supports: { os: ['debian'] },
  // A name leads to what serves already, unless the name server itself is one of these.
  after: ['bind'],
  config: dnsRecordsConfig,
  package: 'bind9-dnsutils',
  unit: false,
  files: {
    key: { path: KEY, content: keyFile, mode: '0600' },
    script: { path: SCRIPT, content: dnsScript, mode: '0700' },
  },
  contents: {
    fact: insideFact,
    steps: (config, inside: Inside) => [
      ...config.records.flatMap((record) => recordStep(config, inside, record)),
      ...inside.known
        .filter((name) => !config.records.some((one) => one.name === name))
        .map((name) => removeStep(config, inside, name)),
    ],
  },
  health: (config) => {
    const { host, port } = serverOf(config);
    return config.records.map(({ name, addresses }) => ({
      title: `${name} resolves`,
      command: sh`dig +short +time=3 +tries=1 -p ${port} ${`@${host}`} ${name} ${addresses?.every((one) => one.includes(':')) ? 'AAAA' : 'A'} | grep .`,
      ...(addresses?.[0] && !addresses[0].includes(':') && { expect: addresses[0] }),
    }));
  },
});

/** Sets the addresses of names. */
export const dnsRecords: typeof base = {
  ...base,
  remove: (config, found) => {
    const inside = (found as unknown as { contents: Inside }).contents;
    return [...inside.known.map((name) => removeStep(config, inside, name)), ...base.remove(config, found)];
  },
};
