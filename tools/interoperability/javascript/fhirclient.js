// The SMART client for JavaScript on a server: endpoints from the directory's own SMART configuration, sign-in, a search with the
// token, and the refresh token that it asks for by scope alone.

import express from 'express';
import session from 'express-session';
import smart from 'fhirclient';
import * as c from './checks.js';

const app = express();
app.use(session({ secret: 'of this run', resave: false, saveUninitialized: true }));
app.get('/launch', (req, res) =>
  smart(req, res).authorize({
    iss: c.DIRECTORY,
    clientId: c.CLIENT_ID,
    clientSecret: c.CLIENT_SECRET,
    redirectUri: c.CALLBACK,
    scope: 'openid profile PRACTITIONER_READ offline_access',
  }),
);
app.get('/callback', async (req, res) => {
  try {
    const client = await smart(req, res).ready();
    const found = await client.request('Practitioner?_count=2');
    const { refresh_token, scope } = client.state.tokenResponse;
    const before = client.state.tokenResponse.access_token;
    const renewed = refresh_token && (await client.refresh()).tokenResponse.access_token !== before;
    const { sub } = client.getIdToken();
    res.json({
      type: found.resourceType,
      entries: found.entry.length,
      scope,
      sub,
      renewed,
      fhirUser: client.getFhirUser(),
    });
  } catch (error) {
    res.status(500).send(error.message);
  }
});
const server = app.listen(Number(c.PORT));
let seen = {};

await c.check('sign-in by the SMART configuration of the directory', async () => {
  seen = JSON.parse((await c.journey(`${c.APP_URL}/launch`)).body);
  c.equal(seen.sub, c.PERSON_SUB, 'sub');
});
await c.check('search of the directory', () => c.equal(`${seen.type} ${seen.entries}`, 'Bundle 2', 'answer'));
await c.check('offline_access without prompt=consent gives a refresh token, and it refreshes', () =>
  c.equal(`${seen.scope.includes('offline_access')} ${seen.renewed}`, 'true true', 'scope and renewal'),
);
server.close();
server.closeAllConnections();
