#!/bin/sh
# Commands beside the service of hygie@.service, with its variables: /usr/local/bin/hygie. As root:  hygie accounts list
# They run under the account hygie: what they read and write has to be for it.
set -eu
set -a
NODE_ENV=production HYGIE_CONFIG=/etc/hygie HYGIE_DATA=${HYGIE_DATA:-/var/lib/hygie} HYGIE_COMMAND=hygie

# The last value of a line of the unit and of what stands beside it.
of_unit() {
  cat /etc/systemd/system/hygie@.service /etc/systemd/system/hygie@*.service.d/*.conf 2> /dev/null | sed -n "s/^$1/\\1/p" | tail -n 1
}

# The secret of a credential of the unit, for a variable: the copy that a running instance has, or, where it has none (an upgrade, a
# restore, a credential that is new in the unit), the file that the next one will get.
hand_on() {
  if [ -n "$running" ] && [ -e "$running/$1" ]; then
    eval "$2_FILE=\$running/$1"
    return
  fi
  file=$(of_unit "LoadCredential=$1:\(.*\)")
  if [ -z "$file" ]; then return; fi
  if ! [ -r "$file" ]; then
    echo "$file cannot be read, which holds a secret of the service: run this as root, and see that the file is there." >&2
    exit 1
  fi
  eval "$2=\$(cat \"\$file\")"
}

running=$(ls -d /run/credentials/hygie@*.service 2> /dev/null | head -n 1)
hand_on key-secret HYGIE_KEY_SECRET
hand_on key-secret-old HYGIE_KEY_SECRET_OLD
hand_on mail-password HYGIE_MAIL_PASSWORD
# Another database may be named:  DATABASE_URL=... hygie restore DIR
if [ -z "${DATABASE_URL:-}" ]; then hand_on database-url DATABASE_URL; fi
# As `health` needs it.
if [ -n "$running" ]; then
  port=${running##*@}
  HYGIE_PORT=${HYGIE_PORT:-${port%.service}}
fi
# As `check` says it.
HYGIE_HOST=${HYGIE_HOST:-$(of_unit 'Environment=.*HYGIE_HOST=\([^ ]*\).*')}
. /etc/hygie/hygie.env
set +a
umask 077
# Where it was called: files that are named count from there.
exec runuser -u hygie -- node /opt/hygie/src/launch.js "$@"
