import { expect } from 'vitest';
import { factValue } from '../../activities/host/look/found.js';
import { parseLook } from '../../activities/host/look/parse-look.js';
import type { ProvisioningError } from '../../core/errors.js';
import { APT, installPackages, mustBeInstalled } from '../../core/host/apt.js';
import { type CommandOutput, debian, type FoundPackage } from '../../core/host/facts.js';
import { ensurePackage } from '../../core/taskserv/plans.js';
import { bash, type Play, steps } from './play.js';

/** Returns the facts that a look reads from a line of dpkg. */
function looked(name: string, status: string, version: string): FoundPackage {
  const { facts } = parseLook({ facts: [debian(name)], health: [] }, `P ${name} ${status} ${version}\nD 0\nE\n`);
  return factValue(debian(name), facts[0] as CommandOutput, String) as FoundPackage;
}

/**
 * A host whose package lists are empty until apt reads them. `$SAID` and `$CODE` are the output and the exit code of
 * that read. `$BROKEN` is set while dpkg was interrupted.
 */
const HOST = `BUSY=0 BROKEN=
apt-get() {
  case " $* " in
    *' update '*)
      if [ "$BUSY" -gt 0 ]; then
        echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 12 (apt-get)'
        # A subshell runs this: what it counts is in a file.
        echo x >>"$COUNT"; return 100
      fi
      touch "$READ"; printf '%s\\n' "$SAID"; return "$CODE" ;;
    *)
      if [ -n "$BROKEN" ] && [ ! -e "$READ.configured" ]; then echo 'E: dpkg was interrupted'; return 100; fi
      if [ ! -e "$READ" ] || [ -n "\${NONE-}" ]; then echo "\${NONE:-E: Unable to locate package cowsay}"; return 100; fi
      echo installed ;;
  esac
}
dpkg() { touch "$READ.configured"; }
sleep() { [ "$(grep -c x "$COUNT")" -lt 3 ] || BUSY=0; }
SAID= CODE=0 READ=$(mktemp -u) COUNT=$(mktemp)
trap 'rm -f "$READ" "$READ.configured" "$COUNT"' EXIT`;

const install = (host: string, name = 'cowsay') => bash(installPackages(name), `${HOST}\n${host}`);

export const PACKAGES: Record<string, Play> = {
  1: () => {
    const found = looked('nginx', 'hi ', '1.22.1-9');
    expect(found).toMatchObject({ version: '1.22.1-9', held: true });
    expect(ensurePackage(found)).toEqual([]);
  },
  2: () => {
    let error: ProvisioningError | undefined;
    try {
      steps('packages', { packages: { jq: 'absent' } }, { facts: { 'package jq': { version: '1.6-2.1', held: true } } });
    } catch (caught) {
      error = caught as ProvisioningError;
    }
    expect(error?.details).toMatchObject({ code: 'package-on-hold', why: 'the package jq is on hold on the host' });
    expect(error?.details.hint).toContain('apt-mark unhold jq');
  },
  3: () => {
    const dead = "SAID='E: The repository file:/nonexistent ./ Release does not have a Release file.' CODE=100";
    expect(install(dead)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/does not have a Release file[\s\S]*\ninstalled\n$/),
    });
    expect(install(`${dead} NONE='E: Unable to locate package cowsay'`)).toMatchObject({
      code: 100,
      out: expect.stringMatching(/E: Unable to locate package cowsay\n$/),
    });
  },
  4: () => {
    const { code, out } = install('BUSY=1');
    expect([code, out.match(/another process reads the package lists/g)?.length]).toEqual([0, 1]);
    expect(out).toMatch(/\ninstalled\n$/);
  },
  5: () => expect(APT).toContain('DPkg::Lock::Timeout=300'),
  6: () =>
    expect(install('BROKEN=1')).toMatchObject({ code: 0, out: expect.stringMatching(/dpkg was interrupted[\s\S]*\ninstalled\n$/) }),
  7: () => {
    const said = "E: Package 'awk' has no installation candidate";
    expect(install(`NONE=${JSON.stringify(said)}`, 'awk')).toMatchObject({ code: 100, out: expect.stringContaining(`${said}\n`) });
  },
  8: () => {
    const dpkg = `dpkg-query() { case "$*" in *libz-dev) return 1 ;; *) echo 'zlib1g-dev|ii |libz-dev (= 1:1.2.13), other' ;; esac; }`;
    const { code, out } = bash(mustBeInstalled('libz-dev'), dpkg);
    expect([code, out]).toEqual([1, 'E: libz-dev is provided by zlib1g-dev: write that\n']);
  },
};
