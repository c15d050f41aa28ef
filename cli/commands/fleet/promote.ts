import { inputError } from '../../../core/errors.js';
import { defineCommand } from '../../command.js';
import { reportDeclined } from '../../shared/declined.js';
import { showFleet } from '../../shared/fleet.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['[build]', "build listed by `fleet status` (default: the build of this home's worker)"]],
  options: [
    {
      flags: '--percent <number>',
      about: 'percentage of new operations for this build, 1 to 99 (default: all)',
      number: true,
    },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details: 'Running operations stay on their version; infras move to the new one with their next step.',
  examples: ['fleet promote', 'fleet promote 3f2a9c0d11ee --percent 10'],
  async run(session, { args: [build], flags: { percent, yes } }) {
    if (percent !== undefined && (percent > 99 || !build)) {
      const why = build ? `"${percent}" is not a number from 1 to 99` : 'choose a build for the percentage';
      throw inputError({
        code: 'bad-arguments',
        what: 'promote the version',
        why,
        hint: 'without --percent all new operations begin on it',
      });
    }
    const what = `${percent === undefined ? 'All' : `${percent} % of all`} new operations begin on ${build ? `build ${build}` : "this home's build"}. Go on?`;
    if (!yes) {
      needsYes(session, 'promote the version');
      if (!(await session.confirm(what))) return reportDeclined(session);
    }
    const { fleet } = await session.client();
    showFleet(
      session,
      percent === undefined || !build ? await fleet.promote({ ...(build && { build }) }) : await fleet.ramp({ build, percent }),
    );
    return 0;
  },
});
