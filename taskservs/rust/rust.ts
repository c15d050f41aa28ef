import * as z from 'zod';
import { debian, debianVersions, ensurePackage, type FoundPackage, packageService } from '../../sdk/index.js';

const config = z
  .strictObject({
    clippy: z.boolean().default(false).describe('Whether to install clippy, which finds common mistakes'),
  })
  .meta({ examples: [{ clippy: true }] });

type Config = z.output<typeof config>;

const RUN = `d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
echo 'fn main() { println!("answer {}", 6 * 7) }' | rustc -o "$d/p" -
"$d/p"`;

/** The compiler of Rust, and cargo, which builds with it. */
export const rust = packageService({
  name: 'rust',
  category: 'languages',
  holds: [],
  description: 'Compiles programs in Rust, and builds them with cargo.',
  versions: debianVersions({ 12: '1.63', 13: '1.85' }),
  supports: { os: ['debian'] },
  config,
  package: 'rustc',
  furtherPackages: ['cargo'],
  unit: false,
  files: {},
  contents: {
    fact: () => debian('rust-clippy'),
    steps: ({ clippy }: Config, found: FoundPackage) => (clippy ? ensurePackage(found) : []),
  },
  health: () => [
    { title: 'rustc compiles a program, which runs', command: RUN, expect: 'answer 42' },
    { title: 'cargo starts', command: 'cargo --version', expect: 'cargo ' },
  ],
});
