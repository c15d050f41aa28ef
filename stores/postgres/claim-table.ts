import { type Claims, FORGET_AFTER_MS, hashMessage, rememberClaims } from '../claims.js';
import type { Database } from './database.js';

/** Claims in the team's store. Expired claims are deleted. */
export const claimTable = (database: Database): Claims =>
  rememberClaims({
    async claim(start, run) {
      const [row] = await database.query<{ run: string }>(
        'keep which run was started',
        `with gone as (delete from provisioning.claims where claimed < now() - $3 * interval '1 millisecond' and start <> $1)
         insert into provisioning.claims (start, run)
         values ($1, coalesce((select run from provisioning.claims where start = $4), $2))
         on conflict (start) do update set run = provisioning.claims.run
         returning run`,
        [start, run, FORGET_AFTER_MS, nameMovedClaim(hashMessage(start))],
      );
      return row?.run === run;
    },
  });

/** Returns a placeholder for the start of a claim that was moved from another store, which had only its hash. */
export const nameMovedClaim = (hash: string): string => `${MOVED}${hash}`;

/** Returns the hash of a row's start. */
export const readClaimHash = (start: string): string => (start.startsWith(MOVED) ? start.slice(MOVED.length) : hashMessage(start));

const MOVED = 'sha256:';
