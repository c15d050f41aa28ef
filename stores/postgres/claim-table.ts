import { type Claims, FORGET_AFTER_MS, rememberClaims } from '../claims.js';
import type { Database } from './database.js';

/** Claims in the team's store; those that nobody can use any more go. */
export const claimTable = (database: Database): Claims =>
  rememberClaims({
    async claim(start, run) {
      const [row] = await database.query<{ run: string }>(
        'keep which run was started',
        `with gone as (delete from provisioning.claims where claimed < now() - $3 * interval '1 millisecond' and start <> $1)
         insert into provisioning.claims (start, run) values ($1, $2)
         on conflict (start) do update set run = provisioning.claims.run
         returning run`,
        [start, run, FORGET_AFTER_MS],
      );
      return row?.run === run;
    },
  });
