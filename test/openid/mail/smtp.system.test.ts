// A mail server that waits for TLS from the first byte, while the service waits for its greeting: nodemailer gives up after ten seconds.

import { expect, it } from '@jest/globals';
import { testMessage } from '#openid/mail/compose.ts';
import { smtpSender } from '#openid/mail/smtp.ts';
import { startMailServer } from '#support/openid/mail/mail-server.ts';

it('says that a port is one for TLS', async () => {
  const service = { issuer: 'https://connect.clinic.example', branding: { name: 'Hygie', colour: '#0b5f6b' } };
  const server = await startMailServer({ secure: true });
  const sender = smtpSender(server.settings(), service);
  try {
    const mail = testMessage(service, 'camille@clinic.example');
    await expect(sender.send(mail, new AbortController().signal)).rejects.toThrow(
      `localhost:${server.port} says nothing: if its port is one for TLS (465), mail.security has to be tls`,
    );
  } finally {
    sender.close();
    await server.close();
  }
});
