import { cancellationSignal } from '@temporalio/activity';
import type { CallContext, Scope } from '../../core/machine/call-context.js';

/** What each call of a provider is given by the activity that makes it. */
export const callContexts =
  (setup: string) =>
  (scope: Scope): CallContext => ({ scope, setup, signal: cancellationSignal() });
