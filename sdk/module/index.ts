/** `provisioning/sdk` for a module of a workspace: the whole SDK. It is built without any dependency on Node. */
export * from '../index.js';
