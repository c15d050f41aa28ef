import * as z from 'zod';
import {
  APT,
  absentValue,
  debian,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  type Fact,
  type FoundFacts,
  type FoundFile,
  type FoundPackage,
  fact,
  file,
  holdOf,
  inputError,
  installPackages,
  MANAGED_FILE_HEADER,
  NOTE_CHANGE,
  type Step,
  sh,
  undoIfNoted,
} from '../../sdk/index.js';

/** Packages that were not there before, one a line. */
const MANIFEST = '/var/lib/provisioning-packages/installed';
const PINS = '/etc/apt/preferences.d/90-provisioning-packages';

/** With the architecture, if that is another one than the host's: `libc6:i386`. */
const NAME = /^[a-z0-9][a-z0-9+.-]{1,99}(:[a-z0-9][a-z0-9-]{1,30})?$/;

const wanted = z.union(
  [
    z.enum(['present', 'absent']),
    z.strictObject({
      version: z
        .string()
        .regex(/^[0-9][A-Za-z0-9.+~:-]{0,99}$/, { error: 'write a version as apt-cache policy prints it: 1.6-2.1' })
        .describe('Pinned version'),
    }),
  ],
  { error: 'write present, absent, or { version: VERSION }' },
);

const config = z
  .strictObject({
    packages: z
      .record(
        z.string().regex(NAME, {
          error: 'use the name of Debian: lower-case letters, digits, "+", "." and "-", and ":i386" for another architecture',
        }),
        wanted,
      )
      .refine((all) => Object.keys(all).length <= 200, { error: 'at most 200 packages' })
      .describe('Packages of the host: `present`, `absent`, or `{ version: VERSION }`'),
    after: z.array(z.string().max(80)).default([]).describe('Taskservs that run first'),
  })
  .meta({ examples: [{ packages: { jq: 'present', telnet: 'absent', tree: { version: '2.1.0-1' } } }] });

type Config = z.output<typeof config>;

type PackagesFacts = {
  manifest: Fact<FoundFile>;
  pins: Fact<FoundFile>;
  [name: `package ${string}`]: Fact<FoundPackage>;
};

const versionOf = (how: Config['packages'][string]): string | undefined => (typeof how === 'string' ? undefined : how.version);

/** Further packages that apt would remove, because they depend on this one. */
const others = (name: string): string =>
  sh`apt-get -s remove ${name} | awk -v own=${name} '$1 == "Remv" && $2 != own { print $2 }' | xargs`;

/** Holds packages at their versions, whoever upgrades: also `unattended-upgrades`. */
function pinsFile({ packages }: Config): string | undefined {
  const pinned = Object.entries(packages).flatMap(([name, how]) => {
    const version = versionOf(how);
    return version === undefined ? [] : [`Package: ${name}\nPin: version ${version}\nPin-Priority: 1001\n`];
  });
  return pinned.length === 0 ? undefined : [`${MANAGED_FILE_HEADER}\n`, ...pinned].join('\n');
}

const setVersion = (name: string, version: string): string => installPackages(sh`${`${name}=${version}`}`);

/** Another version of what is installed; the way back needs the former one to be in an archive still. */
const change = (name: string, from: string, to: string): Step => ({
  title: `Change the package ${name} from ${from} to ${to}`,
  run: setVersion(name, to),
  undo: setVersion(name, from),
});

const onHold = (what: string, name: string, host: string): Error =>
  inputError({ code: 'package-on-hold', what, on: host, ...holdOf(name) });

const archOf = (name: string): string | undefined => name.split(':')[1];

/** Lets the host install packages of another architecture; that stays. */
const allowArchitecture = (arch: string): string =>
  sh`own=$(dpkg --print-architecture)
foreign=$(dpkg --print-foreign-architectures | xargs)
case " $own $foreign " in *${` ${arch} `}*) ;; *) dpkg --add-architecture ${arch} ;; esac`;

/**
 * Reports whether a package is installed, and its version. The fact `package` and the journal of a step `package` name
 * packages without their architecture. Packages of another architecture are queried and undone by commands.
 */
const packageFact = (name: string): Fact<FoundPackage> =>
  archOf(name) === undefined
    ? debian(name)
    : fact<FoundPackage>(
        sh`dpkg-query -W -f ${'${db:Status-Abbrev} ${Version}'} ${name} 2>/dev/null || true`,
        ({ stdout }) => {
          const [, wish, version] = /^(.)i. +(\S+)$/.exec(stdout.trim()) ?? [];
          return { name, version, ...(wish === 'h' && { held: true }) };
        },
        { name, version: undefined },
      );

function installOther(name: string, arch: string, version?: string): Step {
  const asked = version === undefined ? name : `${name}=${version}`;
  return {
    title: `Install the package ${name}${version ? ` ${version}` : ''}`,
    run: `${allowArchitecture(arch)}\n${installPackages(sh`${asked}`)}`,
    undo: `${APT} remove ${sh`${name}`}`,
  };
}

/** @throws inputError `package-on-hold` if apt would have to change or remove a package that is on hold on the host */
function packageSteps(name: string, how: Config['packages'][string], { version, held }: FoundPackage, host: string): Step[] {
  const to = versionOf(how);
  if (held && how === 'absent') throw onHold(`remove the package ${name}`, name, host);
  if (held && to !== undefined && to !== version) throw onHold(`change the package ${name} from ${version} to ${to}`, name, host);
  if (how === 'absent') return version === undefined ? [] : absent(name);
  const arch = archOf(name);
  if (version === undefined && arch !== undefined) return [installOther(name, arch, to)];
  if (version === undefined) {
    return [
      {
        title: `Install the package ${name}${to ? ` ${to}` : ''}`,
        package: { name, state: 'present', ...(to && { version: to }) },
      },
    ];
  }
  return to === undefined || to === version ? [] : [change(name, version, to)];
}

function absent(name: string): Step[] {
  const check = `others=$(${others(name)})
[ -z "$others" ] || { echo ${sh`${`cannot remove ${name}: these need it, and would go with it:`}`} "$others" >&2; exit 1; }`;
  return [
    { title: `Check that nothing else needs the package ${name}`, run: check, undo: ':' },
    archOf(name) === undefined
      ? { title: `Remove the package ${name}`, package: { name, state: 'absent' } }
      : { title: `Remove the package ${name}`, run: `${APT} remove ${sh`${name}`}`, undo: installPackages(sh`${name}`) },
  ];
}

/** Removes a package that this taskserv installed and the entry no longer names, unless another package needs it. */
const leave = (name: string): Step => ({
  title: `Remove the package ${name}, unless others need it`,
  run: `status=$(dpkg-query -W -f '\${db:Status-Abbrev}' ${sh`${name}`} 2>/dev/null || true)
case "$status" in
  hi*) echo ${sh`${`${name} stays: it is on hold`}`}; exit 0 ;;
  ?i*) ;;
  *) exit 0 ;;
esac
${NOTE_CHANGE}
others=$(${others(name)})
if [ -n "$others" ]; then echo ${sh`${`${name} stays, since these need it:`}`} "$others"; apt-mark auto ${sh`${name}`} >/dev/null; else ${APT} remove ${sh`${name}`}; fi`,
  undo: undoIfNoted(`${APT} install --no-install-recommends ${sh`${name}`}`),
});

const manifestText = (names: Iterable<string>): string =>
  [...new Set(names)]
    .sort()
    .map((name) => `${name}\n`)
    .join('');
const namesIn = ({ content }: FoundFile): string[] => content.split('\n').filter((name) => NAME.test(name));

const foundPackage = (found: FoundFacts<PackagesFacts>, name: string): FoundPackage =>
  found[`package ${name}`] ?? absentValue(packageFact(name));

/** Debian packages of one's own choice. */
export const packages = defineTaskserv<Config, PackagesFacts>({
  name: 'packages',
  category: 'own-things',
  holds: [],
  description: 'Installed, absent and pinned Debian packages of a host.',
  versions: { default: '1', supported: ['1'], source: 'own' },
  config,
  uses: () => [],
  follows: ({ after }) => after,
  exclusive: ({ packages }) => ({
    withoutPackages: Object.entries(packages).flatMap(([name, how]) =>
      how === 'absent' ? [{ name, at: ['packages', name] }] : [],
    ),
  }),
  facts: ({ packages }) => ({
    manifest: file(MANIFEST),
    pins: file(PINS),
    ...Object.fromEntries(Object.keys(packages).map((name) => [`package ${name}`, packageFact(name)])),
  }),
  installed: ({ manifest }) => (manifest.exists ? '1' : undefined),

  plan(config, found, { host }) {
    const named = Object.entries(config.packages);
    const before = namesIn(found.manifest);
    const came = named.flatMap(([name, how]) =>
      how !== 'absent' && (before.includes(name) || foundPackage(found, name).version === undefined) ? [name] : [],
    );
    const dropped = before.filter((name) => config.packages[name] === undefined);
    const pins = pinsFile(config);
    return [
      ...ensureFile(found.manifest, { content: manifestText([...came, ...dropped]) }, 'Note which packages are installed here'),
      ...(pins === undefined ? ensureNoFile(found.pins) : ensureFile(found.pins, { content: pins })),
      ...named.flatMap(([name, how]) => packageSteps(name, how, foundPackage(found, name), host.name)),
      ...dropped.map(leave),
      ...(dropped.length > 0
        ? [{ title: 'Note which packages are left', file: { path: MANIFEST, content: manifestText(came) } }]
        : []),
    ];
  },

  health: ({ packages }) =>
    Object.entries(packages).map(([name, how]) => {
      const status = `dpkg-query -W -f '\${db:Status-Abbrev}\${Version}' ${sh`${name}`} 2>/dev/null | sed 's/^.i/ii/'`;
      return how === 'absent'
        ? { title: `${name} is not installed`, command: `! ${status} | grep -q '^ii'` }
        : { title: `${name} is installed`, command: status, expect: `ii ${versionOf(how) ?? ''}` };
    }),

  remove: (_, found) =>
    found.manifest.exists
      ? [
          ...namesIn(found.manifest).map(leave),
          ...ensureNoFile(found.pins),
          { title: `Remove ${MANIFEST}`, absent: { path: MANIFEST } },
        ]
      : [],
});
