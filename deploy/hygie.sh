#!/bin/sh
# Commands beside the service of hygie@.service, with its variables: /usr/local/bin/hygie. As root:  hygie accounts list
set -eu
running=$(ls -d /run/credentials/hygie@*.service 2> /dev/null | head -n 1)
if [ -z "$running" ]; then
  echo "No instance runs, whose copies of the secrets are needed: systemctl start hygie@3000" >&2
  exit 1
fi
set -a
NODE_ENV=production HYGIE_CONFIG=/etc/hygie HYGIE_DATA=${HYGIE_DATA:-/var/lib/hygie} HYGIE_COMMAND=hygie
HYGIE_KEY_SECRET_FILE=$running/key-secret
if [ -e "$running/database-url" ]; then DATABASE_URL_FILE=$running/database-url; fi
if [ -e "$running/key-secret-old" ]; then HYGIE_KEY_SECRET_OLD_FILE=$running/key-secret-old; fi
if [ -e "$running/mail-password" ]; then HYGIE_MAIL_PASSWORD_FILE=$running/mail-password; fi
. /etc/hygie/hygie.env
set +a
umask 077
cd /opt/hygie
exec runuser -u hygie -- node src/launch.js "$@"
