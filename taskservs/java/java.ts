import * as z from 'zod';
import { debian, debianVersions, ensurePackage, type FoundPackage, packageService } from '../../sdk/index.js';

const config = z
  .strictObject({
    jdk: z.boolean().default(false).describe('Whether the compiler and the other tools of the JDK come with it'),
  })
  .meta({ examples: [{ jdk: true }] });

type Config = z.output<typeof config>;

/** Runs a program from its source, as only a JDK can. */
const RUN_SOURCE = `d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
echo 'public class P { public static void main(String[] a) { System.out.println("answer " + 6 * 7); } }' >"$d/P.java"
java -XX:TieredStopAtLevel=1 "$d/P.java"`;

/** The Java runtime, and its development kit where that is wanted. */
export const java = packageService({
  name: 'java',
  category: 'languages',
  description: 'Runs programs in Java, and compiles them where that is wanted.',
  versions: debianVersions({ 12: '17', 13: null }),
  supports: { os: ['debian'] },
  config,
  package: 'openjdk-17-jre-headless',
  unit: false,
  files: {},
  contents: {
    fact: () => debian('openjdk-17-jdk-headless'),
    steps: ({ jdk }: Config, found: FoundPackage) => (jdk ? ensurePackage(found) : []),
  },
  health: ({ jdk }) => [
    jdk
      ? { title: 'java runs a program', command: RUN_SOURCE, expect: 'answer 42' }
      : { title: 'java starts', command: 'java -XshowSettings:properties -version 2>&1', expect: 'java.version = 17' },
  ],
});
