import type { Client } from './client.js';

/**
 * The same client, in which all that is asked for is asked by `actor`: who calls is known
 * by the way the call came, and what the call itself says of it is not listened to.
 */
export function signedClient(client: Client, actor: string): Client {
  const signed = <T extends object | undefined>(by: T) => ({ ...by, actor });
  return {
    ...client,
    submit: (request, options) => client.submit(signed(request), options),
    cancel: (operation, _, why) => client.cancel(operation, actor, why),
    force: (operation, by) => client.force(operation, signed(by)),
    pause: (operation, by) => client.pause(operation, signed(by)),
    resume: (operation, by) => client.resume(operation, signed(by)),
    approve: (operation, verdict) => client.approve(operation, signed(verdict)),
    decide: (operation, decision, _, more) => client.decide(operation, decision, actor, more),
    orphans: (request) => client.orphans(signed(request)),
    refresh: (request) => client.refresh(signed(request)),
    importServer: (request) => client.importServer(signed(request)),
    submitBatch: (submission) => client.submitBatch(signed(submission)),
    approveBatch: (id, by) => client.approveBatch(id, signed(by)),
    decideBatch: (id, decision, by) => client.decideBatch(id, decision, signed(by)),
    cancelBatch: (id, by) => client.cancelBatch(id, signed(by)),
    rollbackBatch: (id, newId, by) => client.rollbackBatch(id, newId, signed(by)),
  };
}
