import * as z from 'zod';
import {
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureService,
  fact,
  file,
  hostName,
  MANAGED_FILE_HEADER,
  type Step,
  sh,
  systemd,
} from '../../sdk/index.js';

const CONF = '/etc/resolv.conf';
/** The file that it replaced. */
const FORMER = '/etc/resolv.conf.before-provisioning';
const DROP_IN = '/etc/systemd/resolved.conf.d/provisioning.conf';

const config = z
  .strictObject({
    servers: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .min(1)
      .max(3)
      .describe('DNS servers in the order of queries'),
    search: z.array(hostName()).max(6).default([]).describe('Search domains for short names'),
    timeout: z.int().min(1).max(30).default(3).describe('Seconds until the next server is queried'),
  })
  .meta({ examples: [{ servers: ['10.0.0.2', '10.0.0.3'], search: ['internal.example.org'] }] });

type Config = z.output<typeof config>;

/** The host's resolver: systemd-resolved, which then makes /etc/resolv.conf, or the servers in that file. */
type Resolver = { by: 'resolved' } | { by: 'file'; content: string; kept: boolean };

const resolverFact = () =>
  fact<Resolver>(
    `case $(readlink -f ${CONF}) in
  /run/systemd/resolve/*) echo resolved ;;
  *) [ -e ${FORMER} ] && echo kept || echo file; cat ${CONF} 2>/dev/null ;;
esac`,
    ({ stdout }) => {
      const [by = '', ...lines] = stdout.split('\n');
      return by === 'resolved' ? { by: 'resolved' } : { by: 'file', content: lines.join('\n'), kept: by === 'kept' };
    },
    { by: 'file', content: '', kept: false },
  );

const resolvConf = ({ servers, search, timeout }: Config): string =>
  [
    MANAGED_FILE_HEADER,
    ...servers.map((address) => `nameserver ${address}`),
    ...(search.length > 0 ? [`search ${search.join(' ')}`] : []),
    `options timeout:${timeout} attempts:2`,
    '',
  ].join('\n');

/** The domain `.` has all questions go to these servers, rather than to those that the network's DHCP names. */
const dropIn = ({ servers, search }: Config): string => `${MANAGED_FILE_HEADER}
[Resolve]
DNS=${servers.join(' ')}
Domains=${['~.', ...search].join(' ')}
`;

/** Written in place: in a container it is a mount, which cannot be replaced. */
const writeConf = (content: string): string => sh`cat >${CONF} <<<${content.replace(/\n$/, '')}`;

/** The former file, which is kept as it was found by the first operation. */
const PUT_BACK = sh`if [ -e ${FORMER} ]; then cat ${FORMER} >${CONF}; rm -f ${FORMER}; fi`;

function fileSteps(config: Config, { content, kept }: { content: string; kept: boolean }): Step[] {
  const wanted = resolvConf(config);
  if (content.trim() === wanted.trim() && kept) return [];
  const keep = kept ? '' : sh`if [ -e ${CONF} ]; then cat ${CONF} >${FORMER}; else : >${FORMER}; fi`;
  return [
    {
      title: `Write ${CONF}`,
      run: [keep, writeConf(wanted)].filter(Boolean).join('\n'),
      undo: kept ? writeConf(content) : PUT_BACK,
    },
  ];
}

/** Which DNS servers a host asks. */
export const resolv = defineTaskserv({
  name: 'resolv',
  category: 'networking',
  holds: [],
  description: 'Sets the DNS servers and search domains of a host.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  supports: { os: ['debian'] },
  config,
  uses: () => [],
  facts: () => ({ resolver: resolverFact(), dropIn: file(DROP_IN), unit: systemd('systemd-resolved', [DROP_IN]) }),
  installed: ({ resolver, dropIn }) => ((resolver.by === 'resolved' ? dropIn.exists : resolver.kept) ? '1' : undefined),

  plan(config, { resolver, dropIn: found, unit }) {
    if (resolver.by === 'file') return [...ensureNoFile(found), ...fileSteps(config, resolver)];
    const before = ensureFile(found, { content: dropIn(config) });
    return [...before, ...ensureService(unit, { state: 'running', enabled: true, reads: [DROP_IN] }, before)];
  },

  health: ({ servers }) => [
    {
      title: 'a DNS server answers',
      // Any answer is one: that there is no such name as well. The shell itself asks; a small host has no program for it.
      command: sh`for server in ${servers}; do
  exec 3<>"/dev/udp/$server/53" || continue
  printf '\x70\x72\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01' >&3
  [ -n "$(timeout 3 dd bs=512 count=1 status=none <&3 | od -An -v -tx1)" ] && echo answered && exit 0
done
exit 1`,
      expect: 'answered',
    },
  ],

  remove(_, { resolver, dropIn: found, unit }) {
    const gone = ensureNoFile(found);
    if (resolver.by === 'resolved') {
      return gone.length > 0 && unit.active
        ? [...gone, ...ensureService(unit, { state: 'running', enabled: unit.enabled, reads: [DROP_IN] }, gone)]
        : gone;
    }
    return resolver.kept
      ? [
          ...gone,
          { title: `Put ${CONF} back as it was`, run: PUT_BACK, undo: `cp ${CONF} ${FORMER}\n${writeConf(resolver.content)}` },
        ]
      : gone;
  },
});
