// The clients that programs in this folder drive: one line for each, and one program.

import type { Driver } from './runner/driver.ts';

const javascript = (name: string, settings: Driver['settings'] = {}, others: Partial<Driver> = {}): Driver => ({
  client: name,
  name,
  toolchain: 'javascript',
  entry: `${name}.js`,
  package: name,
  settings,
  ...others,
});

const python = (
  name: string,
  client: string,
  packaged: string,
  settings: Driver['settings'] = {},
  callback?: string,
): Driver => ({
  client,
  name,
  toolchain: 'python',
  entry: `${name.replaceAll('-', '_')}_driver.py`,
  package: packaged,
  settings,
  ...(callback && { callback }),
});

const go = (name: string, client: string, module: string, settings: Driver['settings'] = {}): Driver => ({
  client,
  name,
  toolchain: 'go',
  entry: name,
  package: module,
  settings,
});

const java = (name: string, client: string, entry: string, packaged: string, others: Partial<Driver> = {}): Driver => ({
  client,
  name,
  toolchain: 'java',
  entry,
  package: packaged,
  ...others,
});

const rust = (name: string, settings: Driver['settings'] = {}): Driver => ({
  client: name,
  name,
  toolchain: 'rust',
  entry: name,
  package: name,
  settings,
});

const shell = (name: string): Driver => ({
  client: name,
  name,
  toolchain: 'shell',
  entry: `${name}.sh`,
  package: name,
});

export const DRIVERS: readonly Driver[] = [
  javascript('openid-client-5', { consent: 'trusted' }, { client: 'openid-client 5' }),
  javascript('badgateway', {}, { client: '@badgateway/oauth2-client', package: '@badgateway/oauth2-client' }),
  javascript('simple-oauth2'),
  javascript('grant', {}, { callback: '/connect/hygie/callback' }),
  javascript('arctic'),
  javascript('fastify-oauth2', {}, { client: '@fastify/oauth2', package: '@fastify/oauth2' }),
  javascript('appauth', { type: 'native' }, { client: '@openid/appauth', package: '@openid/appauth' }),
  javascript('passport-oauth2'),
  javascript('hono-oidc-auth', {}, { client: '@hono/oidc-auth', package: '@hono/oidc-auth' }),
  javascript('fhirclient', { consent: 'trusted', refreshTokens: 'always' }, { client: 'fhirclient (SMART)' }),
  python('requests-oauthlib', 'requests-oauthlib', 'requests-oauthlib', {
    consent: 'trusted',
    refreshTokens: 'always',
  }),
  python('oauthlib', 'oauthlib', 'oauthlib', { serviceAccount: true }),
  python('authlib-httpx', 'Authlib with httpx', 'Authlib'),
  python('authlib-flask', 'Authlib in Flask', 'Authlib'),
  python('authlib-starlette', 'Authlib in Starlette', 'Authlib'),
  python('pyoidc', 'pyoidc', 'oic', { updatedAt: 'epoch' }),
  python('idpyoidc', 'idpy-oidc', 'idpyoidc', { updatedAt: 'epoch' }),
  python('mozilla-django-oidc', 'mozilla-django-oidc', 'mozilla-django-oidc', {}, '/oidc/callback/'),
  python('django-allauth', 'django-allauth', 'django-allauth', {}, '/accounts/oidc/hygie/login/callback/'),
  python('social-auth', 'social-auth-core', 'social-auth-core'),
  python('flask-oidc', 'Flask-OIDC', 'flask-oidc', {}, '/authorize'),
  python('flask-pyoidc', 'Flask-pyoidc', 'Flask-pyoidc', { logoutUrls: ['/logout'], updatedAt: 'epoch' }),
  python('fhirclient-python', 'fhirclient (SMART for Python)', 'fhirclient'),
  python('fhirpy', 'fhirpy', 'fhirpy'),
  python('httpx-oauth', 'httpx-oauth', 'httpx-oauth'),
  go('go-oidc', 'go-oidc and x/oauth2', 'github.com/coreos/go-oidc/v3'),
  go('x-oauth2', 'x/oauth2', 'golang.org/x/oauth2', { serviceAccount: true, directoryAccess: true }),
  go('zitadel-rp', 'zitadel/oidc', 'github.com/zitadel/oidc/v3'),
  go('goth', 'goth', 'github.com/markbates/goth'),
  go('hashicorp-cap', 'hashicorp/cap', 'github.com/hashicorp/cap'),
  java('nimbus', 'Nimbus OAuth 2.0 SDK', 'libraries/interoperability.Nimbus', 'nimbus', {
    rows: [
      {
        client: 'Nimbus OAuth 2.0 SDK',
        checks: /./,
        driven:
          'sign-in with PKCE, userinfo, refresh, revocation, introspection; refusals of each endpoint, by their codes',
      },
    ],
  }),
  java('google-oauth', 'Google OAuth Client', 'libraries/interoperability.Google', 'google'),
  java('scribejava', 'ScribeJava', 'libraries/interoperability.Scribe', 'scribejava'),
  java('pac4j', 'pac4j', 'libraries/interoperability.Pac4j', 'pac4j', {
    settings: {
      jwksUrl: '/jwks.json',
      assertionAudience: 'token-endpoint',
      authenticationClaims: true,
      backchannelLogoutUrl: '/logout-token',
      logoutTokenType: 'JWT',
    },
  }),
  java('spring', 'Spring Security (Spring Boot)', 'spring/interoperability.SpringDriver', 'spring-boot', {
    callback: '/login/oauth2/code/hygie',
    settings: { backchannelLogoutUrl: '/logout/connect/back-channel/hygie' },
  }),
  java('quarkus', 'Quarkus', 'quarkus/interoperability.QuarkusDriver', 'quarkus', {
    settings: { consent: 'trusted', backchannelLogoutUrl: '/back-channel-logout' },
  }),
  java('hapi', 'HAPI FHIR', 'hapi/interoperability.HapiDriver', 'hapi', {
    scope: 'openid PRACTITIONER_READ ORGANIZATION_READ',
    rows: [
      {
        client: 'HAPI FHIR client',
        checks: /^(?!.* is valid)/,
        driven:
          'searches by GET and POST, chains, batches, pages, includes, reads, histories, capabilities, errors; in JSON and XML; the Java code of the reference page',
      },
      {
        client: 'HAPI FHIR validator',
        checks: / is valid/,
        driven: 'answers of every kind, and refusals; in JSON and XML',
      },
    ],
  }),
  java(
    'quick-spring',
    'Spring Security [quick start](quick-starts.md#spring-security)',
    'quick-spring/interoperability.QuickSpring',
    'spring-boot',
    { callback: '/login/oauth2/code/hygie' },
  ),
  java(
    'quick-keycloak',
    'Keycloak as broker [quick start](quick-starts.md#keycloak-as-broker)',
    'quick-keycloak/interoperability.QuickKeycloak',
    'keycloak',
    {
      callback: '/realms/clinic/broker/hygie/endpoint',
      settings: {
        logoutUrls: ['/realms/clinic/broker/hygie/endpoint/logout_response'],
        backchannelLogoutUrl: '/realms/clinic/protocol/openid-connect/logout/backchannel-logout',
        backchannelLogoutSession: false,
        authenticationClaims: true,
      },
    },
  ),
  rust('openidconnect'),
  rust('oauth2', { serviceAccount: true }),
  shell('curl'),
  shell('wget'),
];
