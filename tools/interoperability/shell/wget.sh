# wget: tokens for a code, userinfo and a search of the directory.
. "${0%/*}/checks.sh"
get() { wget -q -O - --ca-certificate="$CURL_CA_BUNDLE" "$@"; }

url=$(printf '%s' "$AUTHORIZE" | sed 's/%/%25/g; s/&/%26/g; s/?/%3F/g')
callback=$(get "$BROWSER_URL/sign-in?url=$url")
token=$(get --post-data "$FORM&code=$(printf '%s' "$callback" | code_of)" "$HYGIE_ISSUER/oauth/token" | member access_token)
check 'sign-in and token' "${token:+given}" given
check 'userinfo' "$(get --header "Authorization: Bearer $token" "$HYGIE_ISSUER/userinfo")" "$PERSON_EMAIL"
check 'search of the directory' \
  "$(get --header "Authorization: Bearer $token" "$HYGIE_DIRECTORY/Practitioner?_count=1")" '"resourceType":"Bundle"'
