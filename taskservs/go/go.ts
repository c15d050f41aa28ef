import * as z from 'zod';
import {
  debian,
  debianVersions,
  ensurePackage,
  type FoundPackage,
  MANAGED_FILE_HEADER,
  packageService,
  quote,
} from '../../sdk/index.js';

const config = z
  .strictObject({
    cgo: z.boolean().default(false).describe('Whether to install a C compiler, for programs that call C'),
    proxy: z
      .url({ protocol: /^https?$/, error: 'a module proxy must be an http:// or https:// URL' })
      .regex(/^[A-Za-z0-9.:/_~[\]-]+$/, { error: 'write a URL without account, query and fragment' })
      .optional()
      .describe('Source of modules for interactive users; default: proxy.golang.org'),
  })
  .meta({ examples: [{ cgo: true, proxy: 'https://go.example.org' }] });

type Config = z.output<typeof config>;

const RUN = `d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; cd "$d" || exit 1
echo 'package main; func main() { println("answer", 6 * 7) }' >p.go
HOME=$d GOCACHE=$d/cache GOFLAGS= go run p.go 2>&1`;

/** The compiler of Go and its tools. */
export const go = packageService({
  name: 'go',
  category: 'languages',
  holds: [],
  description: 'Compiles programs in Go.',
  versions: debianVersions({ 12: '1.19', 13: '1.24' }),
  supports: { os: ['debian'] },
  config,
  package: 'golang-go',
  unit: false,
  files: {
    profile: {
      path: '/etc/profile.d/provisioning-go.sh',
      content: ({ proxy }) =>
        proxy === undefined ? undefined : `${MANAGED_FILE_HEADER}\nexport GOPROXY=${quote(`${proxy},direct`)}\n`,
    },
  },
  contents: {
    fact: () => debian('build-essential'),
    steps: ({ cgo }: Config, found: FoundPackage) => (cgo ? ensurePackage(found) : []),
  },
  health: () => [{ title: 'go compiles and runs a program', command: RUN, expect: 'answer 42' }],
});
