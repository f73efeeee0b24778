// Settings of an HTTP server that is tested by itself.

export const serverSettings = (listen: object = {}, proxies = 0) => ({
  issuer: 'https://connect.example',
  hsts: { maxAge: 1, includeSubDomains: false },
  proxies,
  listen: { maxConnections: 1000, connectionsPerNetwork: 1000, keepAlive: 65, ...listen },
});
