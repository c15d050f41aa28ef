import type { ZoneEntry } from '../../core/schema/definition.js';
import type { ServiceDefaults } from '../defaults/service-defaults.js';
import type { ExpandedServer } from '../expanded-server.js';
import type { Surroundings } from '../place-taskservs.js';
import type { Path } from '../source/problem.js';

/** Context of domains beside the entries of a definition. */
export interface DomainsAround extends Surroundings {
  infra: string;
  servers: readonly ExpandedServer[];
  zones: ReadonlyMap<string, ZoneEntry>;
  /** Settings of a taskserv. */
  defaultsOf(taskserv: string): ServiceDefaults | undefined;
}

/** A name of a `domain`, where the file says it, and the zone that it is in. */
export interface Name {
  name: string;
  path: Path;
  zone: string;
}
