import { ProvisioningError } from '../../../core/errors.js';

/**
 * Milliseconds after which something that takes connections, and does not speak SSH, is given
 * up. With the pause before a last attempt and that attempt itself this stays below a minute.
 * A host that is down takes no connections: it may be starting, and is waited for longer.
 */
const GIVE_UP_MS = 30_000;

/** After a pause of this length, in milliseconds, it is a new sickness. */
const FORGET_MS = 60_000;

interface Episode {
  since: number;
  last: number;
}

/**
 * Keeps for how long each host has been sick, so that all who try learn of it in time.
 *
 * @param now milliseconds; tests set it
 */
export function createSickness(now: () => number = Date.now) {
  const episodes = new Map<string, Episode>();

  function noted(key: string, began: number): Episode {
    const known = episodes.get(key);
    const since = known && began - known.last < FORGET_MS ? known.since : began;
    const episode = { since, last: now() };
    episodes.set(key, episode);
    for (const [other, { last }] of episodes) if (now() - last > FORGET_MS) episodes.delete(other);
    return episode;
  }

  return {
    /** Does what connects. Its `ssh-handshake` is final where the host has been sick for too long. */
    async watch<T>(key: string, connect: () => Promise<T>): Promise<T> {
      const began = now();
      try {
        const made = await connect();
        episodes.delete(key);
        return made;
      } catch (error) {
        if (!(error instanceof ProvisioningError) || error.details.code !== 'ssh-handshake') throw error;
        const { since, last } = noted(key, began);
        if (last - since < GIVE_UP_MS) throw error;
        const seconds = Math.round((last - since) / 1000);
        throw new ProvisioningError(
          { ...error.details, why: `${error.details.why} (tried for ${seconds} s)`, final: true },
          { cause: error },
        );
      }
    },
  };
}
