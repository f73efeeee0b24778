KEYCLOAK=http://localhost:8180
HYGIE=http://localhost:3000

kcadm.sh config credentials --server $KEYCLOAK --realm master --user admin --password "$KC_BOOTSTRAP_ADMIN_PASSWORD"
kcadm.sh create realms -s realm=clinic -s enabled=true
kcadm.sh create identity-provider/instances -r clinic -f - << END
{
  "alias": "hygie",
  "providerId": "oidc",
  "enabled": true,
  "trustEmail": true,
  "config": {
    "issuer": "$HYGIE",
    "authorizationUrl": "$HYGIE/authorize",
    "tokenUrl": "$HYGIE/oauth/token",
    "userInfoUrl": "$HYGIE/userinfo",
    "jwksUrl": "$HYGIE/.well-known/jwks.json",
    "logoutUrl": "$HYGIE/logout",
    "useJwksUrl": "true",
    "validateSignature": "true",
    "pkceEnabled": "true",
    "pkceMethod": "S256",
    "clientId": "quick-keycloak",
    "clientSecret": "$CLIENT_SECRET",
    "clientAuthMethod": "client_secret_basic",
    "defaultScope": "openid email profile",
    "syncMode": "FORCE"
  }
}
END
