import * as z from 'zod';
import {
  debian,
  debianVersions,
  defineTaskserv,
  ensureNoPackage,
  ensurePackage,
  type Fact,
  type FoundFacts,
  type FoundPackage,
  upstreamVersion,
} from '../../sdk/index.js';

const config = z
  .strictObject({
    jdk: z.boolean().default(false).describe('Whether to install the compiler and the other tools of the JDK'),
  })
  .meta({ examples: [{ jdk: true }] });

type Config = z.output<typeof config>;

/** `package` and `jdk` are of the version that is supposed; each other one has its own, by its name. */
type JavaFacts = Record<'package' | 'jdk', Fact<FoundPackage>> & Record<string, Fact<FoundPackage>>;

const VERSIONS = debianVersions({ 12: '17', 13: '21' }, { package: 'openjdk-{version}-jre-headless' });

const runtimeOf = (version: string): string => `openjdk-${version}-jre-headless`;
const kitOf = (version: string): string => `openjdk-${version}-jdk-headless`;

const runtimeFor = (found: FoundFacts<JavaFacts>, version: string): FoundPackage => found[runtimeOf(version)] ?? found.package;

/**
 * The installed runtime, preferably of the expected version. Another one next to it was not installed by the platform.
 */
const runtimeIn = (found: FoundFacts<JavaFacts>): FoundPackage =>
  [found.package, ...VERSIONS.supported.map((version) => runtimeFor(found, version))].find(
    ({ version }) => version !== undefined,
  ) ?? found.package;

/** Runs a program from its source, as only a JDK can. */
const RUN_SOURCE = `d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
echo 'public class P { public static void main(String[] a) { System.out.println("answer " + 6 * 7); } }' >"$d/P.java"
java -XX:TieredStopAtLevel=1 "$d/P.java"`;

/** The Java runtime, and its development kit where that is wanted. By hand, since its packages are named by its version. */
export const java = defineTaskserv<Config, JavaFacts>({
  name: 'java',
  category: 'languages',
  holds: [],
  description: 'Runs Java programs, and compiles them on request.',
  versions: VERSIONS,
  supports: { os: ['debian'] },
  config,
  uses: () => [],
  // The host's version is certain only when its release is known. A removal names no version.
  facts: (_, version = VERSIONS.default) => ({
    package: debian(runtimeOf(version)),
    jdk: debian(kitOf(version)),
    ...Object.fromEntries(
      VERSIONS.supported
        .filter((other) => other !== version)
        .flatMap((other) => [runtimeOf(other), kitOf(other)].map((name) => [name, debian(name)])),
    ),
  }),
  installed: (found) => upstreamVersion(runtimeIn(found).version),

  plan: ({ jdk }, found, { version }) => [
    ...ensurePackage(runtimeFor(found, version)),
    ...(jdk ? ensurePackage(found[kitOf(version)] ?? found.jdk) : []),
  ],

  health: ({ jdk }) => [
    jdk
      ? { title: 'java runs a program', command: RUN_SOURCE, expect: 'answer 42' }
      : { title: 'java starts', command: 'java -XshowSettings:properties -version 2>&1', expect: 'java.version = ' },
  ],

  remove: (_, found) => ensureNoPackage(runtimeIn(found)),
});
