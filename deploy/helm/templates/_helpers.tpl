{{- define "hygie.name" -}}
{{- default .Release.Name .Values.nameOverride | trunc 53 | trimSuffix "-" -}}
{{- end -}}

{{/* What selectors find: it may not change from release to release. */}}
{{- define "hygie.selector" -}}
app.kubernetes.io/name: hygie
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "hygie.labels" -}}
{{ include "hygie.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* service.yaml: the operator's settings, and what follows from other values. */}}
{{- define "hygie.settings" -}}
{{- $settings := merge (dict "issuer" .Values.issuer) (deepCopy .Values.settings) -}}
{{- if .Values.tls.secret -}}
{{- $tls := dict "certificate" "/tls/tls.crt" "key" "/tls/tls.key" -}}
{{- $settings = merge (dict "listen" (dict "tls" $tls)) $settings -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{- define "hygie.secret" -}}
{{- default (include "hygie.name" .) .Values.secrets.existing -}}
{{- end -}}

{{- define "hygie.claim" -}}
{{- default (include "hygie.name" .) .Values.storage.existingClaim -}}
{{- end -}}

{{/* The probes speak TLS where the service does. */}}
{{- define "hygie.scheme" -}}
{{- ternary "HTTPS" "HTTP" (ne .Values.tls.secret "") -}}
{{- end -}}
