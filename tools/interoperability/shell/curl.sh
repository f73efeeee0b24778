# curl: tokens for a code, userinfo, a search of the directory over HTTP/2 where it is spoken, and a refusal as JSON.
. "${0%/*}/checks.sh"

callback=$(curl -sS --get --data-urlencode "url=$AUTHORIZE" "$BROWSER_URL/sign-in")
token=$(curl -sS -d "$FORM&code=$(printf '%s' "$callback" | code_of)" "$HYGIE_ISSUER/oauth/token" | member access_token)
check 'sign-in and token' "${token:+given}" given
check 'userinfo' "$(curl -sS --oauth2-bearer "$token" "$HYGIE_ISSUER/userinfo")" "$PERSON_EMAIL"
check 'search of the directory, compressed' \
  "$(curl -sS --compressed --oauth2-bearer "$token" "$HYGIE_DIRECTORY/Practitioner?_count=1")" '"resourceType":"Bundle"'
check 'RFC 6749 section 5.2 a refusal is JSON' \
  "$(curl -sS -i -d "$FORM&code=nothing" "$HYGIE_ISSUER/oauth/token" | tr -d '\r')" 'application/json'
