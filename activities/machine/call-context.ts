import { cancellationSignal } from '@temporalio/activity';
import type { CallContext, Scope } from '../../core/machine/call-context.js';

/** Context that an activity passes to each call of a provider. */
export const callContexts =
  (setup: string) =>
  (scope: Scope): CallContext => ({ scope, setup, signal: cancellationSignal() });
