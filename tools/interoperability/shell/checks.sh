# What the drivers in sh share: a line for each check, and the way to the scripted person.

# Prints whether the text holds what is expected of it.
check() {
  case "$2" in
    *"$3"*) printf 'ok - %s\n' "$1" ;;
    *) printf 'not ok - %s: %s\n' "$1" "$(printf '%s' "$2" | tr '\n' ' ' | cut -c1-500)" ;;
  esac
}

# A member of a flat JSON object, a text.
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

AUTHORIZE="$HYGIE_ISSUER/authorize?client_id=$CLIENT_ID&response_type=code&state=a-state&redirect_uri=$CALLBACK&scope=openid%20email%20PRACTITIONER_READ"
FORM="grant_type=authorization_code&redirect_uri=$CALLBACK&client_id=$CLIENT_ID&client_secret=$CLIENT_SECRET"
code_of() { sed -n 's/.*[?&]code=\([^&]*\).*/\1/p'; }
