// An authorization server with the least that a directory tells of it.

import type { AuthorizationServer } from '#directory/metadata/smart-configuration.ts';

export const SERVER: AuthorizationServer = {
  issuer: 'https://connect.example',
  authorization_endpoint: 'https://connect.example/authorize',
  token_endpoint: 'https://connect.example/oauth/token',
  introspection_endpoint: 'https://connect.example/oauth/introspect',
  revocation_endpoint: 'https://connect.example/oauth/revoke',
  scopes_supported: ['openid'],
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code'],
  token_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
};
