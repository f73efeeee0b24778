#!/usr/bin/env bash
# Stands for a program in a page's test: hands the call to the command process, and prints what that answers. It is called some
# two hundred times, so it starts as few programs as it can.
request=$PLACE_PIPES/requests/$$-$EPOCHREALTIME
mkfifo "$request.done"
name=${0##*/}
printf '%s\0' "$name" "$@" > "$request.args"
env -0 > "$request.env"
pwd > "$request.cwd"
# Only these read what is piped into them; the others would swallow the page's.
if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then cat > "$request.stdin"; else : > "$request.stdin"; fi
echo "$request" > "$PLACE_PIPES/queue"
read -r code < "$request.done"
if [ "$code" = exec ]; then
  mapfile -d '' -t words < "$request.exec"
  exec "${words[@]}" < "$request.stdin"
fi
if [ -s "$request.stdout" ]; then cat "$request.stdout"; fi
if [ -s "$request.stderr" ]; then cat "$request.stderr" >&2; fi
exit "$code"
