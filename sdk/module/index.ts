/** What `provisioning/sdk` is to a module of a workspace: all of the SDK. Built so that it needs nothing of Node. */
export * from '../index.js';
