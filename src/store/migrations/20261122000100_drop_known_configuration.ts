// The service no longer remembers its configuration: each start records the digest of its settings in the audit trail.

export { down as up, up as down } from './20261121000800_known_configuration.ts';
