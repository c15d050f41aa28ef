import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { ServiceDefaults } from '../defaults/service-defaults.js';
import type { ExpandedServer } from '../expanded-server.js';
import type { ServerInterpolation } from '../interpolation/per-server.js';
import type { LockSession } from '../lock-file/locked-version.js';
import type { PlacedService } from './settle-services.js';

/** Inputs of services. */
export interface ServiceContext {
  taskservs: Readonly<Record<string, AnyTaskserv>>;
  /** The names of all taskservs that there are. */
  known: readonly string[];
  perServer: ServerInterpolation;
  /** Settings of a taskserv, with references instead of its secrets. */
  defaultsOf(taskserv: string): ServiceDefaults | undefined;
  /** Former results of constraints. Undefined if they are not stored. */
  locking?: LockSession;
}

/** A server with all that it carries. */
export interface FurnishedServer {
  server: ExpandedServer;
  placed: PlacedService[];
}
